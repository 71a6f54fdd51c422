// The entry that `npm run same` bundles of each build: the command line with everything outside handed in. Each build has
// its own copy of this file, so its imports follow the sources.
import { run } from '../../src/cli/run';
import { createEngine } from '../../src/core/engine';
import { loadScanner } from '../../src/core/transcript/wasm/loadScanner';
import type { ConnectCommandLine } from './buildSide';

/** @throws when the fast scanner cannot be loaded: the plain one would hide what the fast one does */
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
