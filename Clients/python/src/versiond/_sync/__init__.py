# Generated from ../_async by make_sync.py.
