import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { WorkerConfiguration } from '../../shared/api/worker';
import type { CheckedPrices } from './priceOverrides';
import { readPriceOverrides } from './priceOverrides';
import type { ConfigDir } from './settings';
import { resolveConfigDir, SETTINGS, toAutomaticRepair, toLivePollMs, toScanConcurrency } from './settings';

/** null when the setting names no usable folder. */
export function readConfigDir(): ConfigDir | null {
  const setting = vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.claudeConfigDir);
  return resolveConfigDir(setting, process.env['CLAUDE_CONFIG_DIR'], homedir());
}

/**
 * What the worker is told; null when the setting names no usable config folder. `storage`: where VS Code lets the
 * extension keep what belongs to no single window.
 */
export function readWorkerConfiguration(storage: vscode.Uri): WorkerConfiguration | null {
  const settings = vscode.workspace.getConfiguration(SETTINGS.section);
  const configDir = readConfigDir();
  if (configDir === null) return null;
  return {
    configDir: configDir.path,
    // Folders of virtual workspaces have no path on this machine, so no session was run in them.
    workspaceFolders: (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === 'file')
      .map((folder) => folder.uri.fsPath),
    scanConcurrency: toScanConcurrency(settings.get<unknown>(SETTINGS.scanConcurrency)),
    automaticRepair: toAutomaticRepair(settings.get<unknown>(SETTINGS.automaticRepair)),
    livePollMs: toLivePollMs(settings.get<unknown>(SETTINGS.livePollInterval)),
    cacheDir: storage.scheme === 'file' ? storage.fsPath : null,
  };
}

export function isScanOnStartupWanted(): boolean {
  return vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.scanOnStartup) !== false;
}

export function readPrices(): CheckedPrices {
  return readPriceOverrides(vscode.workspace.getConfiguration(SETTINGS.section).get<unknown>(SETTINGS.priceOverrides));
}
