import { describe, expect, it } from 'vitest'
import { loginsOf, MOST_LOGINS, type WaitingAccount } from './login-list.ts'

const waiting = (n: number): WaitingAccount => ({
  ...{ account: `trader0${n}-a1`, userId: `trader0${n}`, userName: `Trader ${n}`, email: `t${n}@mail.example` },
  ...{ programme: 'One-Step 5K', stage: 'Phase 1' },
})
const three = [waiting(1), waiting(2), waiting(3)]
const given = (text: string, accounts = three) => {
  const { logins, refused } = loginsOf(text, accounts)
  return { logins: logins.map(({ line, text, account }) => [line, text, account.account]), refused }
}

describe('a list of logins', () => {
  it('goes to the accounts that wait longest, in its order', () => {
    expect(given('501,secret 1,Live-1,mt5\n502,secret 2,Live-1,MetaTrader 4\n')).toEqual({
      logins: [
        [1, '501 on Live-1', 'trader01-a1'],
        [2, '502 on Live-1', 'trader02-a1'],
      ],
      refused: [],
    })
    expect(loginsOf('501,secret 1,Live-1,mt5', three).logins[0]?.changes).toEqual({
      ...{ platform: 'mt5', login: '501', masterPassword: 'secret 1', server: 'Live-1' },
    })
  })

  it('keeps an account for the login that names it by its id or its trader', () => {
    const text =
      '501,a,Live,mt5\n502,b,Live,mt5,T1@mail.example\n503,c,Live,mt5,trader02-a1\n504,d,Live,mt5,trader02-a1'
    expect(given(text)).toEqual({
      logins: [
        [1, '501 on Live', 'trader03-a1'],
        [2, '502 on Live', 'trader01-a1'],
        [3, '503 on Live', 'trader02-a1'],
      ],
      refused: [{ line: 4, refusal: 'No account of trader02-a1 waits for a login' }],
    })
  })

  it('is read with headings in any order, tabs or semicolons, and quotation marks', () => {
    expect(given('Server;Platform;Login;Master Password\n\nLive;mt4;501;"a;""b"')).toEqual({
      logins: [[3, '501 on Live', 'trader01-a1']],
      refused: [],
    })
    expect(given('501\ta\tLive\tmt5').logins).toHaveLength(1)
  })

  it('says line by line what it refuses', () => {
    const many = Array.from({ length: 4 }, (_, n) => `60${n},a,Live,mt5`).join('\n')
    expect(given(`501,,Live,mt5\n502,a,Live,ctrader\n${many}\n600,a,Live,mt5`).refused).toEqual([
      { line: 1, refusal: 'Without password' },
      { line: 2, refusal: 'The platform is mt4 or mt5' },
      { line: 6, refusal: 'No further account waits for a login' },
      { line: 7, refusal: '600 on Live stands twice in the list' },
    ])
    expect(given('501,"a,Live,mt5').refused).toEqual([
      { line: 1, refusal: 'This is no list: a quotation mark is not closed' },
    ])
    const long = Array.from({ length: MOST_LOGINS + 1 }, (_, n) => `${n},a,Live,mt5`).join('\n')
    expect(given(long).refused.at(-1)).toEqual({ line: 501, refusal: 'At most 500 logins at once' })
    expect(given('')).toEqual({ logins: [], refused: [] })
  })
})
