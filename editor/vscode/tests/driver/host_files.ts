/** The bundles that run.mjs has made of host/*.test.ts. */
import { delimiter } from "node:path";
import { hostTests } from "./host.js";
import { ALLOWED } from "./shared.js";
import { required } from "./world.js";

for (const bundle of required("MCP_SIDECAR_TEST_HOST_FILES").split(delimiter)) hostTests(bundle, ALLOWED);
