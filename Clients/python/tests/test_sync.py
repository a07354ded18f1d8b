import subprocess
import sys
from pathlib import Path


def test_what_blocks_is_made_of_what_waits() -> None:
    script = Path(__file__).parent.parent / "make_sync.py"
    subprocess.run([sys.executable, script, "--check"], check=True)
