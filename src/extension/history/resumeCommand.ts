import { resolveConfigDir } from '../config/settings';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The terminal command that resumes a session; null if the id is not a valid Claude Code id. */
export function resumeCommand(sessionId: string): string | null {
  return UUID.test(sessionId) ? `claude --resume ${sessionId}` : null;
}

/**
 * Environment variables that make Claude Code use the config folder from the setting. Empty if it uses that folder anyway:
 * if the variable is set, even to the default folder, Claude Code stores its other files elsewhere. null unsets a variable.
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
