"""An agent as its author would write it; takes the directory of the user's project."""

import asyncio
import json
import sys

from mcp_sidecar import Sidecar


async def main() -> None:
    async with Sidecar(cwd=sys.argv[1]) as sidecar:
        names = [tool["name"] for tool in sidecar.tools]
        outcome = await sidecar.call("mcp_greeter_greet", {"name": "pip"})
        text = outcome["result"]["content"][0]["text"]
        print(json.dumps({"binary": str(sidecar.binary), "names": names, "text": text}))


asyncio.run(main())
