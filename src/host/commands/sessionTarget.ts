import * as vscode from 'vscode';
import type { SessionSummary } from '../../shared/api/worker';
import type { RepairPreviews } from '../repair/repairPreviews';
import type { SessionsModel } from '../sessions/sessionsModel';
import { findSession } from '../sessions/sessionsState';
import { SessionNode } from '../tree/treeNode';

/**
 * The session that a command was called on: an item of the tree, or the document of a repair preview. null when it was
 * called on nothing, as from the palette, or on something else, as a key binding may.
 */
export function sessionTarget(
  argument: unknown,
  model: SessionsModel,
  previews: RepairPreviews,
): SessionSummary | null {
  if (argument instanceof SessionNode) return argument.session;
  if (!(argument instanceof vscode.Uri)) return null;
  const filePath = previews.filePathOf(argument);
  return filePath === null ? null : (findSession(model.snapshot, filePath)?.session ?? null);
}
