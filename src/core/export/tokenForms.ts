import { isMixed, isRandom } from './secretLooks';

/** A token that is known by itself: what it is, what every one holds, and how it looks. */
export interface TokenForm {
  readonly kind: string;
  /** Empty where two beginnings have nothing in common. */
  readonly hint: string;
  readonly source: string;
  readonly isSecret?: (secret: string) => boolean;
}

function form(kind: string, hint: string, source: string, isSecret?: (secret: string) => boolean): TokenForm {
  return isSecret === undefined ? { kind, hint, source } : { kind, hint, source, isSecret };
}

/** Lengths are a bit below those that the issuers give out, so that longer or older ones are known, too. */
export const TOKEN_FORMS: readonly TokenForm[] = [
  form('anthropic-key', 'sk-ant-', 'sk-ant-[A-Za-z0-9_-]{16,}'),
  form('openai-key', 'sk-', 'sk-(?!ant-)(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}', isMixed),
  form('github-token', '_', '(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})'),
  // Routable ones have more behind dots.
  form(
    'gitlab-token',
    'gl',
    String.raw`gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_-]{16,}(?:(?:\.[0-9a-z]{2})?\.[0-9a-z]{9})?`,
  ),
  form('aws-access-key', '', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  form('google-api-key', 'AIza', 'AIza[A-Za-z0-9_-]{35,}'),
  form('google-oauth-token', '', String.raw`(?:ya29\.|GOCSPX-|1//0)[A-Za-z0-9_-]{20,}`),
  form('slack-token', 'xox', 'xox[abceoprs](?:\\.xox[abp])?-[A-Za-z0-9-]{10,}'),
  form('slack-token', 'xapp-', 'xapp-[A-Za-z0-9-]{20,}'),
  form('stripe-key', '_', '(?:(?:sk|rk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}'),
  form('jwt', 'eyJ', String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{8,}`),
  form('npm-token', 'npm_', 'npm_[A-Za-z0-9]{30,}'),
  form('pypi-token', 'pypi-', 'pypi-[A-Za-z0-9_-]{40,}'),
  form('huggingface-token', 'hf_', 'hf_[A-Za-z0-9]{30,}'),
  form('sendgrid-key', 'SG.', String.raw`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
  form('digitalocean-token', '_v1_', 'do[opr]_v1_[a-f0-9]{40,}'),
  form('databricks-token', 'dapi', 'dapi[a-f0-9]{32,}'),
  form('vault-token', 'hv', String.raw`hv[sbr]\.[A-Za-z0-9_-]{20,}`),
  form('docker-token', 'dckr_', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}'),
  form('shopify-token', 'shp', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}'),
  form('telegram-token', ':AA', '[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}'),
  form('age-key', 'AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-1[A-Z0-9]{50,}'),
  form('groq-key', 'gsk_', 'gsk_[A-Za-z0-9]{40,}'),
  form('xai-key', 'xai-', 'xai-[A-Za-z0-9]{60,}'),
  form('perplexity-key', 'pplx-', 'pplx-[A-Za-z0-9]{40,}'),
  form('replicate-token', 'r8_', 'r8_[A-Za-z0-9]{30,}'),
  form('linear-key', 'lin_', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  form('notion-token', 'ntn_', 'ntn_[A-Za-z0-9]{40,}'),
  form('figma-token', 'fig', 'fig[dour]{1,2}_[A-Za-z0-9_-]{36,}', isMixed),
  form('supabase-token', 'sb', '(?:sbp_[a-f0-9]{32,}|sb_secret_[A-Za-z0-9_-]{20,})'),
  form('planetscale-token', 'pscale_', String.raw`pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}`),
  form('doppler-token', 'dp.', String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{38,}`),
  form('atlassian-token', 'AT', '(?:ATATT|ATCTT)3x[A-Za-z0-9_=-]{60,}'),
  form('newrelic-key', 'NRAK-', 'NRAK-[A-Za-z0-9]{24,}'),
  form('mailgun-key', 'key-', 'key-[a-f0-9]{32}(?![A-Za-z0-9-])'),
  form('terraform-token', '.atlasv1.', String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}`),
  form('grafana-token', 'gl', 'gl(?:sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|c_[A-Za-z0-9+/]{32,}={0,2})'),
  form('sentry-token', 'sntry', 'sntry[su]_[A-Za-z0-9+/=_-]{40,}'),
  form('postman-key', 'PMAK-', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  form('pulumi-token', 'pul-', 'pul-[a-f0-9]{40}(?![A-Za-z0-9])'),
  form('rubygems-key', 'rubygems_', 'rubygems_[a-f0-9]{48}'),
  form('langsmith-key', 'lsv2_', 'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'),
  form('nvidia-key', 'nvapi-', 'nvapi-[A-Za-z0-9_-]{50,}'),
  form('onepassword-token', 'ops_eyJ', 'ops_eyJ[A-Za-z0-9+/_-]{80,}={0,3}'),
  form('tailscale-key', 'tskey-', 'tskey-[a-z]{2,12}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}'),
  form('fly-token', 'fm2_', 'fm2_[A-Za-z0-9+/]{60,}={0,3}', isRandom),
  form('twilio-key', 'SK', 'SK[a-f0-9]{32}(?![A-Za-z0-9])'),
];
