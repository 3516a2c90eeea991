"""``python -m replicadb`` is the ``replicadb`` command."""

from replicadb.cli import main

if __name__ == "__main__":
    main()
