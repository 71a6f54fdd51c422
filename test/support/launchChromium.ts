import { chromium, type Browser } from 'playwright-core';
import { installChromium } from '../../scripts/setupVscode.mjs';
import './exitOnSignal';

/** @throws Unavailable when there is no Chromium and none can be installed. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: installChromium(),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      // Chromium refuses to sandbox itself when it runs as root, as it does in containers.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
  });
}
