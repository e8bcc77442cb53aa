/**
 * Definitions of tools as servers send them, each of which makes some provider refuse the whole request.
 */
export const ODD_TOOLS: readonly { name: string; description?: string | null; [member: string]: unknown }[] =
  [
    { name: "bare" },
    { name: "null", description: null, inputSchema: null },
    {
      name: "long",
      description: `A${"é".repeat(1021)}😀${"x".repeat(1000)}`,
      inputSchema: { type: "object" },
    },
    {
      name: "halved",
      description: "A cut emoji: \ud83d",
      inputSchema: { type: "object", properties: { a: { enum: ["\ud83d"] } } },
    },
    { name: "titled", description: " ", title: "A title", inputSchema: { properties: null } },
    {
      name: "choice",
      inputSchema: { type: "object", oneOf: [{ required: ["a"] }, { properties: { b: {} } }] },
    },
    {
      name: "old",
      inputSchema: {
        $schema: "http://json-schema.org/draft-04/schema#",
        type: "object",
        properties: {
          n: { type: "integer", minimum: 0, exclusiveMinimum: true },
          pair: { type: "array", items: [{ type: "number" }, { type: "number" }] },
          list: { type: "array" },
          any: { type: "any", required: true },
          text: { type: "string", pattern: "^\\p{L}(?!x)+$" },
          lost: { $ref: "#/definitions/nowhere" },
        },
      },
    },
    {
      name: "brackets",
      inputSchema: {
        type: "object",
        properties: { "filter[id]": { type: "number" }, $top: {} },
        required: ["$top"],
      },
    },
  ];
