import { join } from 'node:path';

const SETTINGS_FOLDER = '.claude';
const SETTINGS_NAME = 'settings.json';
const LOCAL_SETTINGS_NAME = 'settings.local.json';

/** The settings of a person, in all projects. */
export function userSettingsOf(configDir: string): string {
  return join(configDir, SETTINGS_NAME);
}

/** The settings that everybody who works on a project shares. */
export function projectSettingsOf(projectFolder: string): string {
  return join(projectFolder, SETTINGS_FOLDER, SETTINGS_NAME);
}

/** The settings of a person in one project. */
export function localSettingsOf(projectFolder: string): string {
  return join(projectFolder, SETTINGS_FOLDER, LOCAL_SETTINGS_NAME);
}

/** The folder in which an administrator manages Claude Code, as client 2.1.330 looks for it. */
export function managedFolderOf(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}

/** An administrator's settings. */
export function managedSettingsOf(managedFolder: string): string {
  return join(managedFolder, 'managed-settings.json');
}

/** The folder whose files are merged into an administrator's settings. */
export function managedPartsFolderOf(managedFolder: string): string {
  return join(managedFolder, 'managed-settings.d');
}
