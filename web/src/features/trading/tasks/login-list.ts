import { parse } from 'csv-parse/browser/esm/sync'
import { platforms } from '#services/trading/stream/account-vocabulary.ts'
import type { LoginGivenByStaff } from '@/features/trading/accounts/staff-account-queries.ts'
import type { AccountTask } from './task-queries.ts'

/** A pasted list of logins, and the waiting accounts that get them. Pure: nothing is sent from here. */

export type WaitingAccount = Pick<AccountTask, 'account' | 'email' | 'userId' | 'userName' | 'programme' | 'stage'>

export interface ListedLogin {
  /** From 1. */
  readonly line: number
  /** The login on its server. Never the password. */
  readonly text: string
  readonly changes: LoginGivenByStaff
  readonly account: WaitingAccount
}

export interface RefusedLine {
  readonly line: number
  readonly refusal: string
}

/** A list is sent account by account: a longer one is sent in parts. */
export const MOST_LOGINS = 500

const columns = ['login', 'password', 'server', 'platform', 'for'] as const
type Column = (typeof columns)[number]
const headings: ReadonlyMap<string, Column> = new Map([
  ...columns.map((column) => [column, column] as const),
  ['master password', 'password'],
  ['account', 'for'],
  ['email', 'for'],
])

/**
 * Reads a list, one login a line: login, password, server, platform, and, where it is for one account, the account's id
 * or the trader's email. Headings may say another order. A login without an account goes to the one that waits longest.
 *
 * @param waiting The oldest first.
 */
export function loginsOf(
  text: string,
  waiting: readonly WaitingAccount[],
): { readonly logins: readonly ListedLogin[]; readonly refused: readonly RefusedLine[] } {
  const rows = rowsOf(text)
  if ('refusal' in rows) return { logins: [], refused: [rows] }
  const [refused, taken, seen]: [RefusedLine[], Map<number, WaitingAccount>, Set<string>] = [[], new Map(), new Set()]
  const refuse = (line: number, refusal: string) => refused.push({ line, refusal })
  const free = () => waiting.filter((account) => ![...taken.values()].includes(account))
  const whole = rows.lines.flatMap(({ line, values }, index) => {
    if (index >= MOST_LOGINS) return (refuse(line, `At most ${MOST_LOGINS} logins at once`), [])
    const { login = '', password = '', server = '', platform = '', for: target = '' } = values
    const missing = Object.entries({ login, password, server, platform }).flatMap(([name, value]) =>
      value ? [] : [name],
    )
    if (missing.length > 0) return (refuse(line, `Without ${missing.join(', ')}`), [])
    const known = platforms.find((each) => each === platform.toLowerCase().replace(/^metatrader\s*/, 'mt'))
    if (!known) return (refuse(line, `The platform is ${platforms.join(' or ')}`), [])
    const text = `${login} on ${server}`
    if (seen.has(text)) return (refuse(line, `${text} stands twice in the list`), [])
    seen.add(text)
    return [{ line, text, target, changes: { platform: known, login, masterPassword: password, server } }]
  })
  // Those that are for one account come first, so that no other login takes it.
  for (const { line, target } of whole) {
    if (target === '') continue
    const isIts = ({ account, email }: WaitingAccount) =>
      account === target || email?.toLowerCase() === target.toLowerCase()
    const account = free().find(isIts)
    if (account) taken.set(line, account)
    else refuse(line, `No account of ${target} waits for a login`)
  }
  const logins = whole.flatMap(({ target, ...login }) => {
    if (target === '') {
      const [next] = free()
      if (next) taken.set(login.line, next)
      else refuse(login.line, 'No further account waits for a login')
    }
    const account = taken.get(login.line)
    return account ? [{ ...login, account }] : []
  })
  return { logins, refused: refused.toSorted((a, b) => a.line - b.line) }
}

interface Line {
  readonly line: number
  readonly values: Partial<Record<Column, string>>
}

function rowsOf(text: string): { readonly lines: readonly Line[] } | RefusedLine {
  const [first = ''] = text.trimStart().split('\n')
  const delimiter = ['\t', ';', ','].find((mark) => first.includes(mark)) ?? ','
  try {
    const options = { delimiter, bom: true, trim: true, relax_column_count: true, skip_empty_lines: true } as const
    let line = 0
    const records: string[][] = parse(text, options)
    // Lines are counted as they are read: an empty one counts, too.
    const numbers = text.split(/\r?\n/).flatMap((each, index) => (each.trim() === '' ? [] : [index + 1]))
    const named = records[0]?.map((name) => headings.get(name.toLowerCase()))
    const order = named?.includes('login') ? named : columns
    return {
      lines: records.flatMap((cells) => {
        line = numbers.shift() ?? line + 1
        if (order === named && cells === records[0]) return []
        const values: Partial<Record<Column, string>> = {}
        for (const [index, column] of order.entries()) if (column) values[column] = cells[index] ?? ''
        return [{ line, values }]
      }),
    }
  } catch {
    return { line: 1, refusal: 'This is no list: a quotation mark is not closed' }
  }
}
