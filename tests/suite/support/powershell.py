"""Parses a script of PowerShell from stdin, and prints where its grammar is broken."""
import sys

import tree_sitter
import tree_sitter_powershell

parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
tree = parser.parse(sys.stdin.buffer.read())


def faults(node):
    if node.is_error or node.is_missing:
        yield f"{node.start_point}: {node.text[:80]}"
    for child in node.children:
        yield from faults(child)


sys.exit("\n".join(faults(tree.root_node)) or 0)
