import type { ModelPrice, PriceOverrides } from '../../shared/usage';

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
  /** Where the setting holds something else than a price: `my-model.input`. */
  readonly invalid: readonly string[];
}

/** Whatever stands in the settings file: what is a price counts, and what is none is told. */
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
