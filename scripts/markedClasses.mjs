// @ts-check
import { readFile } from 'node:fs/promises';

/**
 * Bundles marked's classes alone. Its module ends with an instance of its own and functions that call it: to esbuild these
 * are side effects, which it keeps with all that they reach, 6 KB, though nothing asks for them.
 *
 * @type {import('esbuild').Plugin}
 */
export const markedClasses = {
  name: 'marked-classes',
  setup(build) {
    build.onLoad({ filter: /[\\/]marked\.esm\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const [head, tail] = source.split(
        /(?:var|let|const) \w+=new \w+;(?=function \w+\(\w+,\w+\)\{return \w+\.parse\()/,
      );
      const exported = tail === undefined ? null : /export\{([^}]*)\};?/.exec(tail);
      if (head === undefined || !exported?.[1])
        throw new Error(`${path} is not built as it was: marked is to be looked at`);
      const classes = exported[1].split(',').filter((name) => / as [A-Z]/.test(name));
      return { contents: `${head}export{${classes.join(',')}};`, loader: 'js' };
    });
  },
};
