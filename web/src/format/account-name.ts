/** Names of accounts, by which a trader with several tells them apart. */

/** An account as far as its name needs it. */
export interface NamedAccount {
  readonly id: string
  readonly phase: string | null
  readonly login: string | null
}

/** 'Account 2', by the number in its id. */
export function accountLabel(id: string): string {
  return `Account ${/-a(\d+)$/.exec(id)?.[1] ?? id}`
}

/** The id of the owner, whom the id of an account names. */
export function ownerOf(id: string): string {
  return id.replace(/-a\d+$/, '')
}

/** 'Account 2 · Funded · 50123456', without what is not known. */
export function accountName({ id, phase, login }: NamedAccount): string {
  return [accountLabel(id), phase, login].filter(Boolean).join(' · ')
}
