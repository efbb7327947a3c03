"""The runners behind ./test: `quick` (default), `long` (lists), `long NAME`."""

import sys

import long_runs
import quick


def main(arguments: list[str]) -> int:
    if arguments in ([], ["quick"]):
        return quick.run()
    if arguments == ["long"]:
        print(long_runs.listing())
        return 0
    if len(arguments) == 2 and arguments[0] == "long":
        return long_runs.run(arguments[1])
    print("usage: ./test [quick | long [NAME]]", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
