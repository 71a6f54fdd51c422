// The program that Claude Code's hook runs, without its start.
import './hook';

export { hasHashed as hasKeptCopy } from './hookCrypto';
