import type { Plugin } from "esbuild";

export const lexerOnly: Plugin;
export const treeOnly: Plugin;
