/**
 * How the worker is bundled: as ES modules, of which what is imported dynamically is a file of its own, loaded when it is
 * first asked for.
 *
 * @type {import('esbuild').BuildOptions}
 */
export const workerOptions = {
  format: 'esm',
  splitting: true,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'worker/[name]-[hash]',
  // CommonJS packages in the bundle call `require` for the modules of Node.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module';\nconst require = createRequireHere(import.meta.url);",
  },
};
