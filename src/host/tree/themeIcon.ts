import * as vscode from 'vscode';
import type { SessionIcon } from './sessionAppearance';

export function themeIcon({ id, color }: SessionIcon): vscode.ThemeIcon {
  return color === null ? new vscode.ThemeIcon(id) : new vscode.ThemeIcon(id, new vscode.ThemeColor(color));
}
