import { configDirOfProject } from '../core/providers/claude/format/paths';
import { dirname } from 'node:path';
import { SessionReader, type SessionReaderDeps } from '../core/conversation/sessionReader';
import { type Diagnostics, diagnosticsFor } from '../core/diagnose/verdict';
import { createEngine, type Engine } from '../core/engine';
import type { FoundTranscript } from '../core/providers/provider';
import { ReferenceScanner } from '../core/transcript/referenceScanner';
import type { ScannerFactory } from '../core/transcript/scanner';
import { loadScanner } from '../core/transcript/wasm/loadScanner';
import { createPacer, type Pacer } from '../core/util/scheduling';
import type { Memory } from '../protocol/memory';
import type { PlannedMemory } from '../protocol/repair';
import type { SessionRef } from '../protocol/session';
import type { CommandContext } from './context';
import type { CliEnvironment, EngineOptions } from './environment';
import { resolveFile } from './resolveFile';

/**
 * One engine per config folder that contains one of the PATHs, because the registry of running sessions is in the
 * config folder of the session.
 */
export class Engines {
  readonly #engines = new Map<string, Engine>();
  readonly #configDir: string;
  readonly #create: (options: EngineOptions) => Engine;

  /** By default, verdicts are for the newest measured client. */
  constructor(
    { environment, configDir }: CommandContext,
    readonly diagnostics: Diagnostics = diagnosticsFor(),
  ) {
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
    const engine = this.#create({ configDir, diagnostics: this.diagnostics });
    this.#engines.set(configDir, engine);
    return engine;
  }
}

/**
 * Engines whose verdicts are for the client that the person has.
 *
 * @param clientVersion the version that the person named instead
 */
export async function openEngines(context: CommandContext, clientVersion?: string): Promise<Engines> {
  const version = clientVersion ?? (await context.environment.findClient?.()) ?? undefined;
  return new Engines(context, diagnosticsFor(version));
}

/** Creates engines that share one fast scanner, which is loaded with the first scan. */
function engineFactory({ scannerPath, stderr }: CliEnvironment): (options: EngineOptions) => Engine {
  if (scannerPath === undefined) return createEngine;
  let loaded: ScannerFactory | null = null;
  const createScanner: ScannerFactory = (options) => {
    loaded ??= loadScanner(scannerPath, (warning) => stderr.write(`${warning}\n`));
    return loaded(options);
  };
  return (options) => createEngine({ ...options, createScanner });
}

/** Longest stretch of work between two turns of the event loop, in milliseconds. */
export const MAX_WORK_MS = 50;

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
 * @param clientVersion the version that the person named; by default, that of the client that the person has
 * @throws InputError if it is an id that no session, or more than one, has
 */
export async function accessTranscript(
  context: CommandContext,
  file: string,
  clientVersion?: string,
): Promise<TranscriptAccess> {
  const engines = await openEngines(context, clientVersion);
  const filePath = await resolveFile(context, file, engines.default);
  const engine = engines.for({ projectFolder: dirname(filePath) });
  return { filePath, session: engine.refOf(filePath), engine, pacer: createPacer(MAX_WORK_MS) };
}

/** For a transcript up to this size, in bytes, the plain scanner needs less time than to make an instance of the fast one. */
const SMALL_BYTES = 256 * 1024;

/**
 * Reads one session. Its owner must close it.
 *
 * @param activities shared by the readers of many sessions
 * @param bytes size of the transcript; by default unknown
 */
export function openReader(
  { filePath, engine, pacer }: Pick<TranscriptAccess, 'filePath' | 'engine' | 'pacer'>,
  activities = engine.readActivities(),
  bytes = Infinity,
): SessionReader {
  const { diagnostics } = engine;
  const plainScanner: ScannerFactory = (options) => new ReferenceScanner(options);
  const createScanner = bytes <= SMALL_BYTES ? plainScanner : engine.createScanner;
  const activityOf: SessionReaderDeps['activityOf'] = (path, end) => activities.of(path, end);
  return new SessionReader({ filePath, createScanner, pacer, diagnostics, activityOf });
}

/** How many messages a session has, and how many of them Claude remembers, now or after a planned repair. Null if it cannot be read. */
export async function countMemory(filePath: string, engine: Engine, plan?: PlannedMemory): Promise<Memory | null> {
  const reader = openReader({ filePath, engine, pacer: createPacer(MAX_WORK_MS) });
  try {
    return await reader.memory(plan);
  } finally {
    reader.close();
  }
}
