import { basename, dirname } from 'node:path';
import type { Engine, FoundTranscript } from '../core/engine';
import type { CliEnvironment } from './cliEnvironment';

/**
 * An engine for each config folder that the PATHs lead into: whether a session is running is told by the registry of
 * the folder that it lies in.
 */
export class Engines {
  readonly #engines = new Map<string, Engine>();

  constructor(
    private readonly environment: CliEnvironment,
    private readonly configDir: string,
  ) {}

  get default(): Engine {
    return this.#engineOf(this.configDir);
  }

  for({ projectFolder }: Pick<FoundTranscript, 'projectFolder'>): Engine {
    const parent = dirname(projectFolder);
    return this.#engineOf(basename(parent) === 'projects' ? dirname(parent) : this.configDir);
  }

  #engineOf(configDir: string): Engine {
    const known = this.#engines.get(configDir);
    if (known !== undefined) return known;
    const engine = this.environment.createEngine({ configDir });
    this.#engines.set(configDir, engine);
    return engine;
  }
}
