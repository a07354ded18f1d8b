# Made of ../_async by make_sync.py.
