import { dirname, resolve } from 'node:path';
import type { Engine } from '../core/engine';
import { createPacer, type Pacer } from '../core/util/scheduling';
import type { CommandContext } from './commandContext';

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 50;

/** What a command reads one transcript with. */
export function readingParts(
  context: CommandContext,
  file: string,
): { readonly filePath: string; readonly engine: Engine; readonly pacer: Pacer } {
  const filePath = resolve(context.environment.cwd, file);
  const engine = context.engines.for({ projectFolder: dirname(filePath) });
  return { filePath, engine, pacer: createPacer(MAX_WORK_MS) };
}
