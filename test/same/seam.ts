// The entry that `npm run same` bundles for each build: the command line with its whole environment passed in. Each
// build has its own copy of this file, so its imports follow the sources.
import { run } from '../../src/cli/run';
import { createEngine } from '../../src/core/engine';
import { loadScanner } from '../../src/core/transcript/wasm/loadScanner';
import type { ConnectCommandLine } from './buildSide';

/** @throws if the fast scanner cannot be loaded, because the plain one would hide its differences */
export const connectCommandLine: ConnectCommandLine = (scannerModule) => {
  const createScanner = loadScanner(scannerModule, (warning) => {
    throw new Error(warning);
  });
  return (argv, environment) =>
    run(argv, {
      ...environment,
      createEngine: (deps) => createEngine({ createScanner, now: environment.now, ...deps }),
    });
};
