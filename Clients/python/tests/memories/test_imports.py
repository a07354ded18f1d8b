import subprocess
import sys


def test_the_core_imports_no_framework() -> None:
    words = {"langgraph", "langchain_core", "agents", "openai", "mcp", "pydantic"}
    program = "import sys, versiond; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not words & set(found.stdout.split())
