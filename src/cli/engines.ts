import { configDirOfProject } from '../core/providers/claude/format/paths';
import { dirname, resolve } from 'node:path';
import { createEngine, type Engine } from '../core/engine';
import type { FoundTranscript } from '../core/providers/provider';
import type { ScannerFactory } from '../core/transcript/scanner';
import { loadScanner } from '../core/transcript/wasm/loadScanner';
import { createPacer, type Pacer } from '../core/util/scheduling';
import type { SessionRef } from '../protocol/session';
import type { CommandContext } from './context';
import type { CliEnvironment } from './environment';

/**
 * One engine per config folder that contains one of the PATHs, because the registry of running sessions is in the
 * config folder of the session.
 */
export class Engines {
  readonly #engines = new Map<string, Engine>();
  readonly #configDir: string;
  readonly #create: (options: { readonly configDir: string }) => Engine;

  constructor({ environment, configDir }: CommandContext) {
    this.#configDir = configDir;
    this.#create = environment.createEngine ?? engineFactory(environment);
  }

  get default(): Engine {
    return this.#engineOf(this.#configDir);
  }

  for({ projectFolder }: Pick<FoundTranscript, 'projectFolder'>): Engine {
    return this.#engineOf(configDirOfProject(projectFolder) ?? this.#configDir);
  }

  #engineOf(configDir: string): Engine {
    const known = this.#engines.get(configDir);
    if (known !== undefined) return known;
    const engine = this.#create({ configDir });
    this.#engines.set(configDir, engine);
    return engine;
  }
}

/** Creates engines that share one fast scanner, which is loaded with the first scan. */
function engineFactory({ scannerPath, stderr }: CliEnvironment): (options: { readonly configDir: string }) => Engine {
  if (scannerPath === undefined) return createEngine;
  let loaded: ScannerFactory | null = null;
  const createScanner: ScannerFactory = (options) => {
    loaded ??= loadScanner(scannerPath, (warning) => stderr.write(`${warning}\n`));
    return loaded(options);
  };
  return ({ configDir }) => createEngine({ createScanner, configDir });
}

/** Longest stretch of work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 50;

export interface TranscriptAccess {
  /** Absolute. */
  readonly filePath: string;
  readonly session: SessionRef;
  readonly engine: Engine;
  readonly pacer: Pacer;
}

/**
 * Opens one transcript for reading.
 *
 * @param file as the person entered it
 */
export function accessTranscript(context: CommandContext, file: string): TranscriptAccess {
  const filePath = resolve(context.environment.cwd, file);
  const engine = new Engines(context).for({ projectFolder: dirname(filePath) });
  return { filePath, session: engine.refOf(filePath), engine, pacer: createPacer(MAX_WORK_MS) };
}
