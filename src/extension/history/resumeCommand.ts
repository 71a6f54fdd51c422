import { resolveConfigDir } from '../config/settings';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What is typed into a terminal to resume a session; null for an id that is none of Claude Code's. */
export function resumeCommand(sessionId: string): string | null {
  return UUID.test(sessionId) ? `claude --resume ${sessionId}` : null;
}

/**
 * What the terminal needs so that Claude Code looks into the config folder that the setting names. Nothing where it does so
 * by itself: told a folder, be it the usual one, it keeps its other files elsewhere. null takes a variable away.
 * `environment`: the `$CLAUDE_CONFIG_DIR` that terminals have anyway.
 */
export function resumeEnvironment(
  setting: unknown,
  environment: string | undefined,
  homeDir: string,
): Readonly<Record<string, string | null>> {
  const wanted = resolveConfigDir(setting, environment, homeDir)?.path;
  const pathWith = (variable: string | undefined): string | undefined => resolveConfigDir('', variable, homeDir)?.path;
  if (wanted === undefined || wanted === pathWith(environment)) return {};
  return { CLAUDE_CONFIG_DIR: wanted === pathWith(undefined) ? null : wanted };
}
