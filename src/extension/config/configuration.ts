import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { UsageView } from '../../protocol/channels/usage';
import type { WorkerConfiguration } from '../../protocol/channels/worker';
import {
  checkExtraConfigDirs,
  type CheckedConfigDirs,
  type CheckedPrices,
  type ConfigDir,
  readPriceOverrides,
  resolveConfigDir,
  resumeEnvironment,
  type ResumeRepair,
  SETTINGS,
  toAutomaticRepair,
  toBackupRetentionDays,
  toClientVersion,
  toLivePollMs,
  toMaxFileSizeMB,
  toResumeRepair,
  toScanConcurrency,
} from './settings';

/** Claude Code's own extension, which brings a client. */
export const CLAUDE_CODE_EXTENSION = 'anthropic.claude-code';

/** null if the setting names no usable folder. */
export function readConfigDir(): ConfigDir | null {
  return resolveConfigDir(configDirSetting(), process.env['CLAUDE_CONFIG_DIR'], homedir());
}

/** Absolute paths of all config folders, the main one first; empty if the setting of that one names no usable folder. */
export function readConfigDirs(): readonly string[] {
  const configDir = readConfigDir();
  if (configDir === null) return [];
  return [configDir.path, ...readExtraConfigDirs(configDir).paths];
}

/** Entries of the setting for further config folders that name none, as they were written. */
export function readIgnoredConfigDirs(): readonly string[] {
  const configDir = readConfigDir();
  return configDir === null ? [] : readExtraConfigDirs(configDir).invalid;
}

function readExtraConfigDirs({ path }: ConfigDir): CheckedConfigDirs {
  const extra = vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.extraConfigDirs);
  return checkExtraConfigDirs(extra, path, homedir());
}

/**
 * Environment variables that make Claude Code in a terminal use a config folder.
 *
 * @param configDir absolute path of one of `readConfigDirs`; null for the main one
 */
export function readResumeEnvironment(configDir: string | null): Readonly<Record<string, string | null>> {
  const isExtra = configDir !== null && configDir !== readConfigDir()?.path;
  return resumeEnvironment(isExtra ? configDir : configDirSetting(), process.env['CLAUDE_CONFIG_DIR'], homedir());
}

export function readResumeRepair(): ResumeRepair {
  return toResumeRepair(vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.automaticRepair));
}

/** Of larger files, checkpoints keep no copy. */
export function readMaxFileSizeMB(): number {
  return toMaxFileSizeMB(vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.maxFileSize));
}

/** Absolute paths of the window's folders, in order. Folders of virtual workspaces have no path and are left out. */
export function workspaceFolderPaths(): readonly string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.flatMap(({ uri }) => (uri.scheme === 'file' ? [uri.fsPath] : []));
}

/**
 * The worker's configuration; null if the setting names no usable config folder. `storage`: VS Code's storage folder for
 * data that belongs to no single window.
 */
export function readWorkerConfiguration(storage: vscode.Uri): WorkerConfiguration | null {
  const settings = vscode.workspace.getConfiguration(SETTINGS.section);
  const configDir = readConfigDir();
  if (configDir === null) return null;
  return {
    configDir: configDir.path,
    extraConfigDirs: readConfigDirs().slice(1),
    workspaceFolders: workspaceFolderPaths(),
    scanConcurrency: toScanConcurrency(settings.get<unknown>(SETTINGS.scanConcurrency)),
    automaticRepair: toAutomaticRepair(settings.get<unknown>(SETTINGS.automaticRepair)),
    backupRetentionDays: toBackupRetentionDays(settings.get<unknown>(SETTINGS.backupRetention)),
    livePollMs: toLivePollMs(settings.get<unknown>(SETTINGS.livePollInterval)),
    clientVersion: toClientVersion(settings.get<unknown>(SETTINGS.clientVersion)),
    clientExtensionFolder: vscode.extensions.getExtension(CLAUDE_CODE_EXTENSION)?.extensionPath ?? null,
    cacheDir: storage.scheme === 'file' ? storage.fsPath : null,
  };
}

export function isScanOnStartupWanted(): boolean {
  return vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.scanOnStartup) !== false;
}

/** Whether to tell that a session waits or has finished while the window is in the background. */
export function areWaitingNotificationsWanted(): boolean {
  const wanted = vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.waitingNotifications);
  return wanted === true;
}

/** Whether the tree shows the subagents of sessions below them. */
export function areSubagentsShown(): boolean {
  return vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.showSubagents) !== false;
}

export function readPrices(): CheckedPrices {
  return readPriceOverrides(vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.priceOverrides));
}

/** Usage is grouped by days in the time zone of this window. */
export function readUsageView(): UsageView {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return { timeZone, priceOverrides: readPrices().overrides };
}

function configDirSetting(): unknown {
  return vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.claudeConfigDir);
}
