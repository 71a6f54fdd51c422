// An extension that is loaded beside ours: it runs commands for the outer runner, and reports when they began.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { writeFileSync } from 'atomically';
import * as vscode from 'vscode';
import type { RethreadApi } from '../../../src/extension/extension';
import { PORT_FILE_VARIABLE, type ProbeApi } from './probeApi';
import { openSeedPanel } from './seedPanel';

const api: ProbeApi = {
  async open(target) {
    const startedMs = Date.now();
    await vscode.commands.executeCommand('rethread.openConversation', target);
    return startedMs;
  },
  openSeed: openSeedPanel,
  async closeAll() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    return null;
  },
  async showFilter() {
    await vscode.commands.executeCommand('rethread.sessions.focus');
    // Goes on until the filter is closed.
    void vscode.commands.executeCommand('rethread.filterSessions');
    return null;
  },
  async scanned() {
    const extension = vscode.extensions.getExtension<RethreadApi>('rethread.rethread');
    if (extension === undefined) throw new Error('Failed to find the extension');
    const { projects } = (await extension.activate()).getSessions();
    const sessions = projects.flatMap((project) => project.sessions);
    return [sessions.filter(({ health }) => health !== 'unscanned').length, sessions.length];
  },
};

export function activate(context: vscode.ExtensionContext): void {
  const portFile = process.env[PORT_FILE_VARIABLE];
  if (portFile === undefined) return;
  const server = createServer((request, response) => {
    void answer(request).then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    // The runner reads the file as soon as it exists: it must never be there without the port.
    // SAFETY: a server that listens on a port has such an address.
    writeFileSync(portFile, String((server.address() as AddressInfo).port));
  });
  context.subscriptions.push({
    dispose: () => {
      server.close();
    },
  });
}

async function answer(request: IncomingMessage): Promise<unknown> {
  const name = (request.url ?? '').slice(1);
  const call = new Map<string, (argument: never) => Promise<unknown>>(Object.entries(api)).get(name);
  if (call === undefined) throw new Error(`${name} is no call`);
  // SAFETY: the runner's types are these.
  return call((await json(request)) as never);
}
