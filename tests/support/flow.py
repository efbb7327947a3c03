"""Flows of tests in a short notation."""


def flow(nodes: list, edges: list | str) -> dict:
    """`nodes`: (id, type) or (id, type, data). `edges`: "a b", or "a b branch"; or one chain "a b c d"."""
    if isinstance(edges, str):
        chain = edges.split()
        edges = [f"{source} {target}" for source, target in zip(chain, chain[1:])]
    return {
        "nodes": [
            {"id": id, "type": type, "data": data[0] if data else {}, "position": {"x": 0, "y": 80 * n}}
            for n, (id, type, *data) in enumerate(nodes)
        ],
        "edges": [
            {"id": f"e{n}", **dict(zip(("source", "target", "branch"), edge.split()))} for n, edge in enumerate(edges)
        ],
    }
