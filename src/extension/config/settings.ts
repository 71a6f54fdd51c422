import { isAbsolute, join, normalize, sep } from 'node:path';
import type { AutomaticRepairMode } from '../../protocol/channels/worker';
import { isClientVersion } from '../../protocol/client';
import type { ModelPrice, PriceOverrides } from '../../protocol/usage';

/** The settings that the extension reads, relative to their section, as declared in package.json. */
export const SETTINGS = {
  section: 'rethread',
  claudeConfigDir: 'claudeConfigDir',
  extraConfigDirs: 'extraConfigDirs',
  automaticRepair: 'repair.automatic',
  backupRetention: 'repair.backupRetentionDays',
  clientVersion: 'clientVersion',
  maxFileSize: 'checkpoints.maxFileSizeMB',
  scanOnStartup: 'scan.onStartup',
  scanConcurrency: 'scan.concurrency',
  livePollInterval: 'live.pollIntervalMs',
  priceOverrides: 'tokens.priceOverrides',
  waitingNotifications: 'notifications.waiting',
  showSubagents: 'tree.showSubagents',
} as const;

export const DEFAULT_SCAN_CONCURRENCY = 4;
export const MAX_SCAN_CONCURRENCY = 16;

export const DEFAULT_LIVE_POLL_MS = 200;
const MIN_LIVE_POLL_MS = 50;
const MAX_LIVE_POLL_MS = 10_000;

/** Where the path of the config folder comes from. */
export type ConfigDirSource = 'setting' | 'environment' | 'default';

export interface ConfigDir {
  /** Absolute. */
  readonly path: string;
  readonly source: ConfigDirSource;
}

/**
 * Claude Code's config folder: the setting, else `$CLAUDE_CONFIG_DIR`, else `~/.claude`. null if the setting is neither
 * absolute nor below `~`, because a relative path would mean a different folder in each window.
 */
export function resolveConfigDir(setting: unknown, environment: string | undefined, homeDir: string): ConfigDir | null {
  if (typeof setting === 'string' && setting.trim() !== '') {
    const path = expandHome(setting.trim(), homeDir);
    return isAbsolute(path) ? { path: withoutTrailingSeparator(path), source: 'setting' } : null;
  }
  if (environment !== undefined && isAbsolute(environment)) {
    return { path: withoutTrailingSeparator(environment), source: 'environment' };
  }
  return { path: join(homeDir, '.claude'), source: 'default' };
}

/** The setting for further config folders. */
export interface CheckedConfigDirs {
  /** Absolute paths, each once, without the main folder. */
  readonly paths: readonly string[];
  /** Entries that are neither absolute nor below `~`, each once, as they were written. */
  readonly invalid: readonly string[];
}

/**
 * Accepts any value. Empty entries are neither.
 *
 * @param configDir absolute path of the main config folder
 */
export function checkExtraConfigDirs(setting: unknown, configDir: string, homeDir: string): CheckedConfigDirs {
  const entries: readonly unknown[] = Array.isArray(setting) ? setting : [];
  const paths = new Set<string>();
  const invalid = new Set<string>();
  for (const entry of entries) {
    const text = typeof entry === 'string' ? entry.trim() : JSON.stringify(entry);
    if (text === '') continue;
    const path = typeof entry === 'string' ? resolveConfigDir(text, undefined, homeDir)?.path : undefined;
    if (path === undefined) invalid.add(text);
    else if (path !== configDir) paths.add(path);
  }
  return { paths: [...paths], invalid: [...invalid] };
}

/** The config folder of a transcript or of a project's folder; null if it is in none of these. */
export function configDirOf(path: string, configDirs: readonly string[]): string | null {
  return configDirs.find((configDir) => path.startsWith(join(configDir, 'projects') + sep)) ?? null;
}

/** Accepts any value. Nothing is repaired in the background unless the person explicitly enabled it. */
export function toAutomaticRepair(setting: unknown): AutomaticRepairMode {
  return setting === 'background' ? 'background' : 'off';
}

const DEFAULT_RETENTION_DAYS = 30;

/** Accepts any value; returns days, or null to keep all backups. */
export function toBackupRetentionDays(setting: unknown): number | null {
  if (typeof setting !== 'number' || !Number.isFinite(setting) || setting < 0) return DEFAULT_RETENTION_DAYS;
  return setting === 0 ? null : setting;
}

export const DEFAULT_MAX_FILE_SIZE_MB = 100;
/** Copying a file of 2 GB takes some seconds, for which Claude waits. */
export const LARGEST_MAX_FILE_SIZE_MB = 2000;

/** Accepts any value; returns a whole number from 1 to `LARGEST_MAX_FILE_SIZE_MB`. */
export function toMaxFileSizeMB(setting: unknown): number {
  if (typeof setting !== 'number' || !Number.isFinite(setting)) return DEFAULT_MAX_FILE_SIZE_MB;
  return Math.min(LARGEST_MAX_FILE_SIZE_MB, Math.max(1, Math.floor(setting)));
}

/** Accepts any value; null for `auto`, which also stands in for anything that is no version. */
export function toClientVersion(setting: unknown): string | null {
  const version = typeof setting === 'string' ? setting.trim() : '';
  return isClientVersion(version) ? version : null;
}

/** What happens to a corrupted session before it is resumed: it is repaired, or the person is asked. */
export type ResumeRepair = 'repair' | 'ask';

export function toResumeRepair(setting: unknown): ResumeRepair {
  return setting === 'whenResuming' || setting === 'background' ? 'repair' : 'ask';
}

/** Accepts any value; returns a whole number from 1 to `MAX_SCAN_CONCURRENCY`. */
export function toScanConcurrency(setting: unknown): number {
  if (typeof setting !== 'number' || !Number.isFinite(setting)) return DEFAULT_SCAN_CONCURRENCY;
  return Math.min(MAX_SCAN_CONCURRENCY, Math.max(1, Math.floor(setting)));
}

/** Accepts any value; returns milliseconds from 50 to 10,000. */
export function toLivePollMs(setting: unknown): number {
  if (typeof setting !== 'number' || !Number.isFinite(setting)) return DEFAULT_LIVE_POLL_MS;
  return Math.min(MAX_LIVE_POLL_MS, Math.max(MIN_LIVE_POLL_MS, Math.floor(setting)));
}

function expandHome(path: string, homeDir: string): string {
  if (path === '~') return homeDir;
  return /^~[\\/]/.test(path) ? join(homeDir, path.slice(2)) : path;
}

function withoutTrailingSeparator(path: string): string {
  const clean = normalize(path);
  return /[^\\/:][\\/]$/.test(clean) ? clean.slice(0, -1) : clean;
}

export const PRICE_FIELDS = [
  'input',
  'output',
  'cacheWrite5m',
  'cacheWrite1h',
  'cacheRead',
  'webSearch',
] as const satisfies readonly (keyof ModelPrice)[];

export interface CheckedPrices {
  readonly overrides: PriceOverrides;
  /** Keys whose value is not a valid price, such as `my-model.input`. */
  readonly invalid: readonly string[];
}

/** Accepts any value; returns the valid prices and reports the invalid ones. */
export function readPriceOverrides(setting: unknown): CheckedPrices {
  if (setting === undefined || setting === null) return { overrides: {}, invalid: [] };
  if (!isObject(setting)) return { overrides: {}, invalid: ['tokens.priceOverrides'] };
  const overrides: [string, Partial<ModelPrice>][] = [];
  const invalid: string[] = [];
  for (const [model, prices] of Object.entries(setting)) {
    if (!isObject(prices) || model.trim() === '') {
      invalid.push(model);
      continue;
    }
    const checked = Object.entries(prices).filter(([field, price]) => {
      const isValid = isField(field) && isPrice(price);
      if (!isValid) invalid.push(`${model}.${field}`);
      return isValid;
    });
    if (checked.length > 0) overrides.push([model, Object.fromEntries(checked)]);
  }
  return { overrides: Object.fromEntries(overrides), invalid };
}

function isField(name: string): name is keyof ModelPrice {
  return PRICE_FIELDS.some((field) => field === name);
}

function isPrice(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
