"""A tool of an agent: verifies for which customer it is called, and shows that customer's orders only."""

from __future__ import annotations

import os

from fastapi import Depends, FastAPI, HTTPException, Request
from turnpike_turns import ToolRequestError, verify_tool_request

ORIGIN = os.environ["TOOL_ORIGIN"]

# Replace this by your database.
ORDERS = {"A-1": {"customer": "customer-42", "status": "shipped"}}

app = FastAPI()


async def customer_of(request: Request) -> str:
    """The customer for whom Turnpike makes the request. The model cannot choose another one."""
    try:
        # The token has the digest of the raw body.
        identity = verify_tool_request(await request.body(), request.headers, audience=ORIGIN)
    except ToolRequestError as error:
        raise HTTPException(401, error.message) from error
    if identity.end_user_ref is None:
        raise HTTPException(403, "A member of the space talks in its web chat, and no customer.")
    return identity.end_user_ref


@app.get("/orders/{order}")
async def order(order: str, customer: str = Depends(customer_of)) -> dict[str, str]:
    known = ORDERS.get(order)
    if known is None or known["customer"] != customer:
        raise HTTPException(404, f"The customer has no order {order}.")
    return known
