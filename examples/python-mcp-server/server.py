"""An MCP server over Streamable HTTP with one tool, without sessions. It shows a customer's own orders only."""

from __future__ import annotations

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from turnpike_turns import ToolRequestError, verify_tool_request

PORT = int(os.environ.get("PORT", "8000"))
ORIGIN = os.environ.get("SHOP_ORIGIN", f"http://127.0.0.1:{PORT}")
VERSIONS = ("2025-06-18", "2025-03-26")
MOST_BYTES = 1_000_000

# Replace this by your database.
ORDERS = {
    "A-1": {"customer": "customer-42", "place": "left this morning"},
    "A-2": {"customer": "customer-43", "place": "waits for payment"},
}

TOOLS = [
    {
        "name": "find_order",
        "description": "Finds an order of the customer by its id, and says where it is.",
        "inputSchema": {
            "type": "object",
            "properties": {"id": {"type": "string", "description": "The order's id, such as A-1."}},
            "required": ["id"],
            "additionalProperties": False,
        },
    }
]


class RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def call_tool(name: str, given: dict[str, Any], customer: str | None) -> dict[str, Any]:
    """A mistake of the model is a result with isError, so that the model can correct it."""
    if name != "find_order":
        raise RpcError(-32602, f"There is no tool {name}.")
    order = ORDERS.get(given.get("id", "")) if isinstance(given.get("id"), str) else None
    # The model chooses the order, and never the customer.
    if order and order["customer"] != customer:
        order = None
    text = f"Order {given['id']} {order['place']}." if order else "There is no such order. Ask the customer for its id."
    return {"content": [{"type": "text", "text": text}], "isError": order is None}


def answer(method: str, params: dict[str, Any], customer: str | None) -> dict[str, Any]:
    if method == "initialize":
        wanted = params.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "shop", "version": "1.0.0"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        arguments = params.get("arguments", {})
        return call_tool(str(params.get("name")), arguments if isinstance(arguments, dict) else {}, customer)
    raise RpcError(-32601, f"There is no method {method}.")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        if not 0 < size <= MOST_BYTES:
            self.close_connection = True
            return self.send(413)
        body = self.rfile.read(size)
        try:
            # For which of your customers Turnpike makes the request. The token has the digest of the raw body.
            customer = verify_tool_request(body, self.headers, audience=ORIGIN).end_user_ref
        except ToolRequestError:
            return self.send(401)
        # Servers call this one, and no web page does, so a browser's request is an attack.
        if self.path != "/mcp" or self.headers.get("origin"):
            return self.send(403 if self.path == "/mcp" else 404)
        try:
            message = json.loads(body)
            method, params = message["method"], message.get("params") or {}
        except (ValueError, TypeError, KeyError):
            return self.send(400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not a request"}})
        if "id" not in message:
            return self.send(202)
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            self.send(200, {**reply, "result": answer(method, params, customer)})
        except RpcError as error:
            self.send(200, {**reply, "error": {"code": error.code, "message": str(error)}})

    def do_GET(self) -> None:
        self.send(405)

    do_DELETE = do_GET

    def send(self, status: int, body: dict[str, Any] | None = None) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
