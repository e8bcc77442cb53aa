/** VERSION is that of this package, as in package.json. A test keeps the two equal. */
export const VERSION = "0.1.0";
