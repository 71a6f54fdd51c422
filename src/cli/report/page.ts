import pc from 'picocolors';
import type { CliEnvironment } from '../cliEnvironment';

export type Colors = ReturnType<typeof pc.createColors>;

/** How a report is laid out for where it is read. */
export interface Page {
  readonly colors: Colors;
  /** Characters in a line. */
  readonly width: number;
  readonly home: string;
  readonly nowMs: number;
  readonly commandName: string;
}

const WIDTH_WITHOUT_TERMINAL = 120;
/** Of the narrowest table; a terminal that is narrower still breaks the lines itself. */
const MIN_WIDTH = 52;

/** Colour only on a terminal that wants it; https://no-color.org. */
export function createPage(environment: CliEnvironment): Page {
  const { stdout, env } = environment;
  const isTerminal = stdout.isTTY === true;
  const hasColor = isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const columns = (isTerminal ? stdout.columns : undefined) ?? Number(env['COLUMNS']);
  return {
    colors: pc.createColors(hasColor),
    width: columns > 0 ? Math.max(columns, MIN_WIDTH) : WIDTH_WITHOUT_TERMINAL,
    home: environment.home,
    nowMs: environment.now(),
    commandName: environment.commandName,
  };
}
