import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../driver/patience.js";
import { parentOf } from "../driver/processes.js";
import { ALLOWED, openWindow } from "../driver/shared.js";

/** A small picture, as a server sends it. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAgCAIAAADbtmxLAAAOYUlEQVR42g3OQee7DAAA4Pfj/A877LDDDjvssMMOO+yww8zMzMwkSZIkSZIkSZIkSZIkSZIkSZLMzMzMDjvssA/y/p5P8Pz3b9MPNt1w0442zXhTTzbVdFPONsV8ky822XKTrjbJehNvN9F+Ex43wXnjgxsP3rjoxsE3Nrmx6I3Jbgx+o4sbTd6o6kbRN7K5keyN6G4Ef8OHGy7esOmGyTd0uaHqDdluiH6DXzfYfYM+N8h7A3820HcD/jbAf/92/WDXDXftaNeMd/VkV0135WxXzHf5Ypctd+lql6x38XYX7XfhcRecdz648+Cdi+4cfGeTO4vemezO4He6uNPknaruFH0nmzvJ3onuTvB3fLjj4h2b7ph8R5c7qt6R7Y7od/h1h9136HOHvHfwZwd9d+Bv9xc69INDNzy0o0MzPtSTQzU9lLNDMT/ki0O2PKSrQ7I+xNtDtD+Ex0NwPvjgwYMPLnpw8INNHiz6YLIHgz/o4kGTD6p6UPSDbB4k+yC6B8E/8OGBiw9semDyA10eqPpAtgeiP+DXA3Y/oM8D8j7AnwP0PYC/w1/o1A9O3fDUjk7N+FRPTtX0VM5OxfyUL07Z8pSuTsn6FG9P0f4UHk/B+eSDJw8+uejJwU82ebLok8meDP6kiydNPqnqSdFPsnmS7JPongT/xIcnLj6x6YnJT3R5ouoT2Z6I/oRfT9j9hD5PyPsEf07Q9wT+Tn8hoB8A3RBoR0AzBuoJUE2BcgYUcyBfANkSSFdAsgbiLRDtgfAIBGfABwEPBlwUcHDAJgGLBkwWMHhAFwFNBlQVUHRANgHJBkQXEHyADwEuBtgUYHKALgGqBsgWIHoAvwLYHUCfAPIG4A8AfQHwB/yFoH4AdUOoHUHNGKonUDWFyhlUzKF8AWVLKF1ByRqKt1C0h8IjFJwhH4Q8GHJRyMEhm4QsGjJZyOAhXYQ0GVJVSNEh2YQkGxJdSPAhPoS4GGJTiMkhuoSoGiJbiOgh/Aphdwh9Qsgbgj8Q9IXAH/QXQvoB0g2RdoQ0Y6SeINUUKWdIMUfyBZItkXSFJGsk3iLRHgmPSHBGfBDxYMRFEQdHbBKxaMRkEYNHdBHRZERVEUVHZBORbER0EcFH+BDhYoRNESZH6BKhaoRsEaJH8CuC3RH0iSBvBP4g0BcBf8hfCOsHWDfE2hHWjLF6glVTrJxhxRzLF1i2xNIVlqyxeItFeyw8YsEZ80HMgzEXxRwcs0nMojGTxQwe00VMkzFVxRQdk01MsjHRxQQf40OMizE2xZgco0uMqjGyxYgew68YdsfQJ4a8MfiDQV8M/GF/IaIfEN2QaEdEMybqCVFNiXJGFHMiXxDZkkhXRLIm4i0R7YnwSARnwgcJDyZclHBwwiYJiyZMljB4QhcJTSZUlVB0QjYJySZElxB8gg8JLibYlGBygi4JqibIliB6Ar8S2J1AnwTyJuAPAX0J8Ef8hah+QHVDqh1RzZiqJ1Q1pcoZVcypfEFlSypdUcmairdUtKfCIxWcKR+kPJhyUcrBKZukLJoyWcrgKV2kNJlSVUrRKdmkJJsSXUrwKT6kuJhiU4rJKbqkqJoiW4roKfxKYXcKfVLIm4I/FPSlwB/1F2L6AdMNmXbENGOmnjDVlClnTDFn8gWTLZl0xSRrJt4y0Z4Jj0xwZnyQ8WDGRRkHZ2ySsWjGZBmDZ3SR0WRGVRlFZ2STkWxGdBnBZ/iQ4WKGTRkmZ+iSoWqGbBmiZ/Arg90Z9Mkgbwb+MNCXAX/MX4jrB1w35NoR14y5esJVU66cccWcyxdctuTSFZesuXjLRXsuPHLBmfNBzoM5F+UcnLNJzqI5k+UMntNFTpM5VeUUnZNNTrI50eUEn+NDjos5NuWYnKNLjqo5suWInsOvHHbn0CeHvDn4w0FfDvxxfyGhHwjdUGhHQjMW6olQTYVyJhRzIV8I2VJIV0KyFuKtEO2F8CgEZ8EHBQ8WXFRwcMEmBYsWTFYweEEXBU0WVFVQdEE2BckWRFcQfIEPBS4W2FRgcoEuBaoWyFYgegG/CthdQJ8C8hbgjwB9BfAn/IWkfiB1Q6kdSc1YqidSNZXKmVTMpXwhZUspXUnJWoq3UrSXwqMUnCUflDxYclHJwSWblCxaMlnJ4CVdlDRZUlVJ0SXZlCRbEl1J8CU+lLhYYlOJySW6lKhaIluJ6CX8KmF3CX1KyFuCPxL0lcCf9BdS+oHSDZV2pDRjpZ4o1VQpZ0oxV/KFki2VdKUkayXeKtFeCY9KcFZ8UPFgxUUVB1dsUrFoxWQVg1d0UdFkRVUVRVdkU5FsRXQVwVf4UOFihU0VJlfoUqFqhWwVolfwq4LdFfSpIG8F/ijQVwF/yl9I6wdaN9TakdaMtXqiVVOtnGnFXMsXWrbU0pWWrLV4q0V7LTxqwVnzQc2DNRfVHFyzSc2iNZPVDF7TRU2TNVXVFF2TTU2yNdHVBF/jQ42LNTbVmFyjS42qNbLViF7Drxp219Cnhrw1+KNBXw38aX8hox8Y3dBoR0YzNuqJUU2NcmYUcyNfGNnSSFdGsjbirRHtjfBoBGfDBw0PNlzUcHDDJg2LNkzWMHhDFw1NNlTVUHRDNg3JNkTXEHyDDw0uNtjUYHKDLg2qNsjWIHoDvxrY3UCfBvI24I8BfQ3wZ/yFrH5gdUOrHVnN2KonVjW1yplVzK18YWVLK11ZydqKt1a0t8KjFZwtH7Q82HJRy8Etm7Qs2jJZy+AtXbQ02VJVS9Et2bQk2xJdS/AtPrS42GJTi8kturSo2iJbi+gt/Gphdwt9Wsjbgj8W9LXAn/UXcvqB0w2dduQ0Y6eeONXUKWdOMXfyhZMtnXTlJGsn3jrR3gmPTnB2fNDxYMdFHQd3bNKxaMdkHYN3dNHRZEdVHUV3ZNORbEd0HcF3+NDhYodNHSZ36NKhaodsHaJ38KuD3R306SBvB/440NcBf85fyOsHXjf02pHXjL164lVTr5x5xdzLF1629NKVl6y9eOtFey88esHZ80HPgz0X9Rzcs0nPoj2T9Qze00VPkz1V9RTdk01Psj3R9QTf40OPiz029Zjco0uPqj2y9Yjew68edvfQp4e8PfjjQV8P/Hl/oaAfBN0waEdBMw7qSVBNg3IWFPMgXwTZMkhXQbIO4m0Q7YPwGATnwAcDDw5cNHDwwCYDiw5MNjD4QBcDTQ5UNVD0QDYDyQ5ENxD8gA8DLg7YNGDygC4Dqg7INiD6AL8G2D1AnwHyDuBPAH0D8Bf8haJ+EHXDqB1FzTiqJ1E1jcpZVMyjfBFlyyhdRck6irdRtI/CYxScIx+MPDhy0cjBI5uMLDoy2cjgI12MNDlS1UjRI9mMJDsS3UjwIz6MuDhi04jJI7qMqDoi24joI/waYfcIfUbIO4I/EfSNwF/0F0r6QdINk3aUNOOkniTVNClnSTFP8kWSLZN0lSTrJN4m0T4Jj0lwTnww8eDERRMHT2wysejEZBODT3Qx0eREVRNFT2QzkexEdBPBT/gw4eKETRMmT+gyoeqEbBOiT/Brgt0T9Jkg7wT+JNA3AX/JXyjrB1k3zNpR1oyzepJV06ycZcU8yxdZtszSVZass3ibRfssPGbBOfPBzIMzF80cPLPJzKIzk80MPtPFTJMzVc0UPZPNTLIz0c0EP+PDjIszNs2YPKPLjKozss2IPsOvGXbP0GeGvDP4k0HfDPxlf6GiHxTdsGhHRTMu6klRTYtyVhTzIl8U2bJIV0WyLuJtEe2L8FgE58IHCw8uXLRw8MImC4suTLYw+EIXC00uVLVQ9EI2C8kuRLcQ/IIPCy4u2LRg8oIuC6ouyLYg+gK/Fti9QJ8F8i7gTwF9C/BX/IWqflB1w6odVc24qidVNa3KWVXMq3xRZcsqXVXJuoq3VbSvwmMVnCsfrDy4ctHKwSubrCy6MtnK4CtdrDS5UtVK0SvZrCS7Et1K8Cs+rLi4YtOKySu6rKi6ItuK6Cv8WmH3Cn1WyLuCPxX0rcBf9Rdq+kHTDZt21DTjpp401bQpZ00xb/JFky2bdNUk6ybeNtG+CY9NcG58sPHgxkUbB29ssrHoxmQbg290sdHkRlUbRW9ks5HsRnQbwW/4sOHihk0bJm/osqHqhmwbom/wa4PdG/TZIO8G/jTQtwF/zV+o6wddN+zaUdeMu3rSVdOunHXFvMsXXbbs0lWXrLt420X7Ljx2wbnzwc6DOxftHLyzyc6iO5PtDL7TxU6TO1XtFL2TzU6yO9HtBL/jw46LOzbtmLyjy46qO7LtiL7Drx1279Bnh7w7+NNB3w78dX+hSz+4dMNLO7o040s9uVTTSzm7FPNLvrhky0u6uiTrS7y9RPtLeLwE54sPXjz44qIXB7/Y5MWiLyZ7MfiLLl40+aKqF0W/yOZFsi+iexH8Cx9euPjCphcmv9DlhaovZHsh+gt+vWD3C/q8IO8L/LlA3wv4u/yFbv3g1g1v7ejWjG/15FZNb+XsVsxv+eKWLW/p6pasb/H2Fu1v4fEWnG8+ePPgm4veHPxmkzeLvpnszeBvunjT5Juq3hT9Jps3yb6J7k3wb3x44+Ibm96Y/EaXN6q+ke2N6G/49Ybdb+jzhrxv8OcGfW/g7/YXevSDRzd8tKNHM37Uk0c1fZSzRzF/5ItHtnykq0eyfsTbR7R/hMdHcH744MODHy76cPCHTT4s+mGyD4N/6OJDkx+q+lD0h2w+JPshug/Bf/Dhg4sfbPpg8gddPqj6QbYPon/g1wd2f6DPB/J+wJ8H9H2Av8df6NUPXt3w1Y5ezfhVT17V9FXOXsX8lS9e2fKVrl7J+hVvX9H+FR5fwfnlgy8Pfrnoy8FfNvmy6JfJvgz+pYsvTX6p6kvRX7L5kuyX6L4E/8WHLy5+semLyV90+aLqF9m+iP6FX1/Y/YU+X8j7BX9e0PcF/l7A/5aPSpeaYXvHAAAAAElFTkSuQmCC";

const MEASURE = {
  name: "measure",
  title: "Measure It",
  description: "Measures what has this number.",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "integer", minimum: 10, description: "The number of the thing." },
      mode: {
        oneOf: [
          { const: "f", title: "Fast" },
          { const: "s", title: "Slow" },
        ],
      },
      note: { type: "string", description: "What to remember." },
    },
    required: ["id", "mode"],
  },
};
const EDIT = {
  name: "edit",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, edits: { type: "array", items: { type: "object" } } },
    required: ["path", "edits"],
  },
};
const WIPE = { name: "wipe", inputSchema: { type: "object" }, annotations: { destructiveHint: true } };
const PICTURE = {
  content: [
    { type: "text", text: "Seen." },
    { type: "image", mimeType: "image/png", data: PNG },
  ],
};

const SCRIPT = `
tool measure ${JSON.stringify(MEASURE)}
tool edit ${JSON.stringify(EDIT)}
tool wipe ${JSON.stringify(WIPE)}
tool shoot
tool slow
tool odd {"name":"odd","inputSchema":null}
tool any {"name":"any","inputSchema":true}
tool huge
on tools/call huge
  big 3
on tools/call shoot
  result ${JSON.stringify(PICTURE)}
on tools/call slow
  progress 1 2 half of it
  hold go
  default
`;

test("calling a tool by hand", async (t) => {
  const window = await openWindow(t, {
    ...ALLOWED,
    files: (project) => ({ ".mcp.json": project.servers({ lab: SCRIPT }) }),
  });
  const { page, project } = window;
  const { hub } = project;
  const pick = async (tool: string) => {
    await window.command("MCP Sidecar: Call a Tool…");
    await window.picks(tool).first().waitFor();
    await window.pick(tool);
  };
  const title = (says: string) => page.locator(".quick-input-title", { hasText: says }).waitFor();
  const complaint = (says: string) => page.locator(".quick-input-message", { hasText: says }).waitFor();

  await window.check(t, "asks for what is required, says what is wrong, and goes back", async () => {
    await hub.saw("lab got tools/list");
    await pick("Measure It");
    await title("lab/measure: id (1/3)");
    await window.answer("7");
    await complaint("must be at least 10");
    await window.screenshot("call-form");
    await window.answer("12345678901234567890");
    await title("(2/3)");
    await page.getByRole("button", { name: "Back" }).click();
    await title("(1/3)");
    assert.equal(await window.input.inputValue(), "12345678901234567890");
    await page.keyboard.press("Enter");
    await window.pick("Slow");
    await title("(3/3)");
  });
  await window.check(t, "offers optional arguments, and calls with every digit", async () => {
    await window.screenshot("call-menu");
    await window.pick("note");
    await title("lab/measure: note");
    await window.answer('a "b"');
    await window.pick("Call Now, With id, mode, note");
    await hub.saw("lab got tools/call measure");
    await window.tab("measure-1.md").waitFor();
    await window.text.getByText("12345678901234567890").first().waitFor();
    await window.text.getByText("Answered in").first().waitFor();
    await window.screenshot("call-result");
  });
  await window.check(t, "offers what was given the last time", async () => {
    await pick("Measure It");
    await title("(1/3)");
    assert.equal(await window.input.inputValue(), "12345678901234567890");
    await window.dismiss();
  });
  await window.check(t, "shows an image beside its text", async () => {
    await pick("shoot");
    await window.tab("shoot-2.md").waitFor();
    await window.tab("image-1.png").waitFor();
    // VS Code's own viewer is a page in a page, which on a busy machine may stay empty: what it is given is looked at.
    await page.locator("iframe.webview").waitFor({ state: "attached" });
    const [path, ...more] = files();
    assert.deepEqual(more, []);
    assert.equal(readFileSync(path ?? "", "base64"), PNG);
    await window.screenshot("call-image");
  });
  await window.check(t, "writes nested arguments in an editor", async () => {
    await pick("edit");
    await title("lab/edit: path");
    await window.answer("a.txt");
    await window.pick("Continue in an Editor");
    await window.text.getByText('"edits"').waitFor();
    await window.screenshot("call-json");
    await page.keyboard.type("what");
    await window.lens("Call lab/edit").click();
    await window.notification("This is no JSON").waitFor();
    for (const _ of "what") await page.keyboard.press("Backspace");
    await window.lens("Call lab/edit").click();
    await hub.saw("lab got tools/call edit");
    await window.tab("edit-3.md").waitFor();
    // It is saved, so that nobody is asked about it.
    await window.tab("edit.json").waitFor();
    assert.equal(await page.locator(".tabs-container .tab.dirty").count(), 0);
  });
  await window.check(t, "asks before it calls what may destroy something", async () => {
    await pick("wipe");
    await window.dialog("Call lab/wipe?").waitFor();
    await page.keyboard.press("Escape");
    await window.dialog("Call lab/wipe?").waitFor({ state: "hidden" });
    await pick("wipe");
    await window.dialog("Call lab/wipe?").getByRole("button", { name: "Call", exact: true }).click();
    await hub.saw("lab got tools/call wipe");
    await window.tab("wipe-4.md").waitFor();
    assert.equal(hub.count("lab got tools/call wipe"), 1);
  });
  await window.check(t, "tells the progress of a call, which can be given up", async () => {
    await pick("slow");
    await hub.saw("lab holding go");
    await window.notification("half of it").waitFor();
    await window.notification("lab/slow").getByRole("button", { name: "Cancel" }).click();
    await hub.saw("lab got notifications/cancelled");
    hub.release("lab", "go");
  });
  await window.check(t, "shows a late answer beside what the user has turned to", async () => {
    await pick("slow");
    await hub.saw("lab holding go");
    await window.open(".mcp.json");
    // What the extension answers shows that it knows of the editor: it is told of everything in order.
    await window.command("MCP Sidecar: Show Actions…");
    await window.picks("Show Servers").waitFor();
    await window.dismiss();
    hub.release("lab", "go");
    await window.tab("slow-5.md").waitFor();
    await page.locator(".editor-group-container.active .tab.active", { hasText: ".mcp.json" }).waitFor();
  });
  await window.check(t, "calls tools without a usable schema with what is written", async () => {
    for (const [tool, tab] of [
      ["odd", "odd-6.md"],
      ["any", "any-7.md"],
    ] as const) {
      await pick(tool);
      await window.lens(`Call lab/${tool}`).waitFor();
      await page.keyboard.type('"n": 12345678901234567890');
      await window.lens(`Call lab/${tool}`).click();
      await window.tab(tab).waitFor();
      await window.text.getByText("12345678901234567890").first().waitFor();
    }
  });
  await window.check(t, "shows a result of megabytes, and goes on", async () => {
    await pick("huge");
    await window.tab("huge-8.txt").waitFor();
    await window.text.getByText("Answered in").waitFor();
    await pick("shoot");
    await window.tab("shoot-9.md").waitFor();
  });
  await window.check(t, "does not say of a call that was on its way that there was none", async () => {
    await pick("slow");
    await hub.saw("lab holding go");
    const [server] = hub.pids;
    assert.ok(server);
    process.kill(parentOf(server), "SIGKILL");
    await window.notification("the call of lab/slow failed").waitFor();
    await hub.saw("lab gone");
    await hub.saw("lab got tools/list");
  });
  await window.check(t, "leaves no file behind", async () => {
    await window.close();
    await hub.saw("lab gone");
    await until("the files to be removed", () => files().length === 0);
  });

  /** files are the images that are shown. */
  function files(): string[] {
    const dir = join(window.editor.world.dir, "editor");
    if (!existsSync(dir)) return [];
    const all = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((path) => join(dir, path));
    return all.filter((path) => path.endsWith("image-1.png"));
  }
});
