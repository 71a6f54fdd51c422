import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RethreadApi } from '../../../src/extension/extension';
import type { SessionSummary } from '../../../src/protocol/channels/sessions';
import { readHostTestEnvironment } from '../hostTestEnvironment';
import { eventually } from './eventually';

const environment = readHostTestEnvironment();

export function extension(): vscode.Extension<RethreadApi> {
  const found = vscode.extensions.getExtension<RethreadApi>('rethread.rethread');
  if (found === undefined) throw new Error('Failed to find the extension under test');
  return found;
}

/** Scans everything and waits until every session has a result. */
export async function scanAll(): Promise<readonly SessionSummary[]> {
  await vscode.commands.executeCommand('rethread.scanAllSessions');
  return eventually('every session is scanned', scannedSessions);
}

/** All sessions in the order of the tree; null while some have no result. */
export function scannedSessions(): readonly SessionSummary[] | null {
  const { phase } = extension().exports.getSessions();
  const sessions = presentSessions();
  const isScanned = phase.kind === 'idle' && sessions.every((session) => session.health !== 'unscanned');
  return isScanned && sessions.length === environment.sessions.length ? sessions : null;
}

/** Without those whose transcripts other tests have deleted: they stay listed, as missing. */
function presentSessions(): readonly SessionSummary[] {
  const { projects } = extension().exports.getSessions();
  return projects.flatMap(({ sessions }) => sessions).filter(({ isAbsent = false }) => !isAbsent);
}

export function sessionAt(filePath: string): SessionSummary {
  const { projects } = extension().exports.getSessions();
  const found = projects.flatMap(({ sessions }) => sessions).find((session) => session.path === filePath);
  if (found === undefined) throw new Error(`Failed to find ${filePath} among the sessions`);
  return found;
}

/** The fixture session with that title. */
export function fixture(title: string): (typeof environment.sessions)[number] {
  const found = environment.sessions.find((session) => session.title === title);
  if (found === undefined) throw new Error(`Failed to find a fixture named ${title}`);
  return found;
}

/** package.json as VS Code reads it. */
export function manifest(): Record<string, unknown> {
  // SAFETY: package.json is an object.
  return JSON.parse(readFileSync(join(extension().extensionPath, 'package.json'), 'utf8')) as Record<string, unknown>;
}
