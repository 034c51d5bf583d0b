import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { after, eligibleTrader, read } from '#test-support/http-calls.ts'
import { openPortal, type Trader } from '#test-support/portal.ts'
import { AdminPayout, Payout, PayoutContext } from '../payout-api.ts'

const portal = await openPortal()
const admin = await portal.admin()
afterAll(() => portal.stop())

const IBAN = 'DE89370400440532013000'
const ask = (trader: Trader, paymentMethod: string, destination: unknown, more: object = {}) =>
  trader.post('/api/user/payouts', { amount: '250.00', paymentMethod, destination, ...more })
const requests = async ({ id }: Trader) =>
  (await portal.events(`account-${id}-a1`)).filter(({ type }) => type === 'PayoutRequested')

const bank = { holder: 'Ada Lovelace', iban: IBAN }
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const NOBODY = 'This address is nobody’s: what is sent to it is lost'
const TRON = 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC'

describe('a destination', () => {
  it.each<readonly [string, object, object, string]>([
    ['bank', bank, bank, 'Ada Lovelace, DE89…3000'],
    [
      'bank',
      { holder: ' Ada Lovelace ', iban: 'de89 3704 0044 0532 0130 00', bic: 'cobadeffxxx' },
      { ...bank, bic: 'COBADEFFXXX' },
      'Ada Lovelace, DE89…3000',
    ],
    // As copied from a page: no-break and thin blanks, another dash, wide digits, the word before it.
    ...[
      'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000',
      'IBAN: de89\u202f3704 0044‐0532–0130\u200900',
      'DE８９370400440532013000',
    ].map(
      (iban) =>
        [
          'bank',
          { ...bank, iban, bic: 'COBA\u00a0DE FF' },
          { ...bank, bic: 'COBADEFF' },
          'Ada Lovelace, DE89…3000',
        ] as const,
    ),
    // The countries that joined last, and one by its own letters.
    ...[
      'RS35260005601001611379',
      'MD24AG000225100013104168',
      'AL47212110090000000235698741',
      'MK07250120000058984',
      'ME25505000012345678951',
      'GI75NWBK000000007099453',
    ].map(
      (iban) =>
        ['bank', { ...bank, iban }, { ...bank, iban }, `Ada Lovelace, ${iban.slice(0, 4)}…${iban.slice(-4)}`] as const,
    ),
    [
      'bank',
      { holder: 'Ada Lovelace', accountNumber: '123456789', bic: 'CHASUS33', bankName: 'First Bank' },
      { holder: 'Ada Lovelace', accountNumber: '123456789', bic: 'CHASUS33', bankName: 'First Bank' },
      'Ada Lovelace, 1234…6789, First Bank',
    ],
    ['paypal', { email: 'ada@example.com' }, { email: 'ada@example.com' }, 'ada@example.com'],
    ['skrill', { email: 'ada@example.com' }, { email: 'ada@example.com' }, 'ada@example.com'],
    ...[
      ['smith&jones@example.com', 'smith&jones@example.com'],
      ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
      ['Ada@bücher.рф', 'Ada@xn--bcher-kva.xn--p1ai'],
    ].map(([typed, email = '']) => ['paypal', { email: typed }, { email }, email] as const),
    ['crypto', { network: 'ERC20', address: EVM }, { network: 'ERC20', address: EVM }, 'ERC20 0x5aAe…eAed'],
    [
      'crypto',
      { network: 'BEP20', address: EVM.toLowerCase() },
      { network: 'BEP20', address: EVM },
      'BEP20 0x5aAe…eAed',
    ],
    ['crypto', { network: 'TRC20', address: TRON }, { network: 'TRC20', address: TRON }, 'TRC20 TJRyWw…tDeC'],
    ...[
      ['EURC', 'ERC20', EVM, '0x5aAe…eAed'],
      ['USDT', 'TRC20', TRON, 'TJRyWw…tDeC'],
      ['USDT', 'POLYGON', EVM, '0x5aAe…eAed'],
      ['USDC', 'BEP20', EVM, '0x5aAe…eAed'],
    ].map(
      ([coin, network, address, short]) =>
        ['crypto', { network, coin, address }, { network, coin, address }, `${coin} ${network} ${short}`] as const,
    ),
  ])('by %s is recorded in its normal form: %j', async (method, sent, kept, words) => {
    const trader = await eligibleTrader(portal, admin)
    const answer = await ask(trader, method, sent)
    expect([answer.status, read(Payout, answer).destination]).toEqual([201, kept])
    expect(answer.body).toMatchObject({ paymentDetails: words })
    expect(await requests(trader)).toMatchObject([{ data: { details: '', destination: kept } }])
    expect((await trader.get('/api/user/payouts', after(answer))).body).toMatchObject([{ destination: kept }])
  })

  const digits = 'This IBAN is mistyped: its check digits do not fit'
  it.each<readonly [string, object, object]>([
    ['bank', { ...bank, iban: 'DE89370400440532013001' }, { iban: digits }],
    ['bank', { ...bank, iban: 'DE8937040044053201300' }, { iban: 'This IBAN has too few or too many characters' }],
    ['bank', { ...bank, iban: 'XX89370400440532013000' }, { iban: 'No country has an IBAN that begins like this' }],
    [
      'bank',
      { iban: IBAN, bic: 'NOBIC' },
      { holder: 'Required', bic: 'Please enter a valid BIC of 8 or 11 characters' },
    ],
    ['bank', {}, { holder: 'Required', iban: 'Required' }],
    ['bank', { holder: 'Ada', accountNumber: '123456789' }, { bic: 'Required', bankName: 'Required' }],
    [
      'bank',
      { holder: 'Ada', accountNumber: '1', bic: 'CHASUS33', bankName: 'B' },
      { accountNumber: expect.any(String) },
    ],
    ['paypal', bank, { email: 'Required' }],
    ['skrill', { email: 'ada at example.com' }, { email: 'Please enter a valid email address' }],
    ['crypto', { address: EVM }, { network: 'Required' }],
    ['crypto', { network: 'ERC20', address: TRON }, { address: 'This is no address of the ERC20 network' }],
    [
      'crypto',
      { network: 'TRC20', address: EVM },
      { address: 'This is no address of the TRC20 network, or it is mistyped' },
    ],
    [
      'crypto',
      { network: 'TRC20', address: TRON.replace('Ry', 'Rz') },
      { address: 'This is no address of the TRC20 network, or it is mistyped' },
    ],
    [
      'crypto',
      { network: 'ERC20', address: EVM.replace('5aA', '5aa') },
      { address: 'This address is mistyped: its checksum does not fit' },
    ],
    ['crypto', { network: 'ERC20', address: `0x${'0'.repeat(40)}` }, { address: NOBODY }],
    ['crypto', { network: 'BEP20', address: `0x${'0'.repeat(40)}` }, { address: NOBODY }],
    ['crypto', { network: 'TRC20', address: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb' }, { address: NOBODY }],
    ...[
      '0x000000000000000000000000000000000000dEaD',
      '0x0000000000000000000000000000000000001010',
      '0x0000000000000000000000000000000000000001',
    ].map((address) => ['crypto', { network: 'POLYGON', address }, { address: NOBODY }] as const),
    ...[
      ['TRC20', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'USDT'],
      ['ERC20', '0xdac17f958d2ee523a2206206994597c13d831ec7', 'USDT'],
      // The contract of another network is as little a wallet.
      ['BEP20', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USDC'],
      ['ERC20', '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', 'EURC'],
    ].map(
      ([network, address, coin]) =>
        [
          'crypto',
          { network, address },
          { address: `This is the contract of ${coin}, not your wallet: what is sent to it is lost` },
        ] as const,
    ),
    ...['AE070331234567890123456', 'TR330006100519786457841326', 'UA213223130000026007233566001'].map(
      (iban) =>
        [
          'bank',
          { ...bank, iban },
          {
            iban: 'This IBAN is of a country outside SEPA. Please give it as the account number, with BIC and bank name',
          },
        ] as const,
    ),
    ['crypto', { network: 'DOGE', address: EVM }, { network: 'Please select a network' }],
    ['crypto', { network: 'ERC20', coin: 'DAI', address: EVM }, { coin: 'Please select a coin' }],
    ['crypto', { coin: 'EURC', address: EVM }, { network: 'Required' }],
    ...[
      ['USDC', 'TRC20', TRON, 'There is no USDC on TRON (TRC20). Please choose USDT, or another network'],
      ['EURC', 'TRC20', TRON, 'There is no EURC on TRON (TRC20). Please choose USDT, or another network'],
      [
        'EURC',
        'BEP20',
        EVM,
        'There is no EURC on BNB Smart Chain (BEP20). Please choose USDC or USDT, or another network',
      ],
      ['EURC', 'POLYGON', EVM, 'There is no EURC on Polygon. Please choose USDC or USDT, or another network'],
    ].map(([coin, network, address, fault]) => ['crypto', { network, coin, address }, { coin: fault }] as const),
  ])('by %s is refused with every fault by its field: %j', async (method, sent, faults) => {
    const trader = await eligibleTrader(portal, admin)
    const errors = Object.fromEntries(Object.entries(faults).map(([name, fault]) => [`destination.${name}`, fault]))
    expect(await ask(trader, method, sent)).toMatchObject({ status: 400, body: { errors } })
    expect(await requests(trader)).toEqual([])
  })

  it('is not needed: free details are kept as they are, and not checked', async () => {
    const trader = await eligibleTrader(portal, admin)
    const answer = await ask(trader, 'bank', null, { paymentDetails: 'IBAN GB29 NWBK' })
    expect(answer).toMatchObject({ status: 201, body: { destination: null, paymentDetails: 'IBAN GB29 NWBK' } })
  })

  it('that differs only where the short form hides it is another one', async () => {
    const trader = await eligibleTrader(portal, admin)
    const first = read(Payout, await ask(trader, 'crypto', { network: 'TRC20', address: TRON })).id
    await admin.patch(`/api/admin/payouts/${first}`, { status: 'approved' })
    const warningsFor = async (destination: object) => {
      const answer = await ask(trader, 'crypto', destination)
      const context = await admin.get(`/api/admin/payouts/${read(Payout, answer).id}/context`, after(answer))
      return read(PayoutContext, context).warnings.filter((warning) => warning.includes('last payout'))
    }
    expect(await warningsFor({ network: 'TRC20', address: TRON })).toEqual([])
    expect(await warningsFor({ network: 'ERC20', address: EVM })).toEqual([
      'The payment details differ from the last payout.',
    ])
  })

  it('puts a request on hold that comes soon after a reset of the password, unless it is the last one', async () => {
    const trader = await eligibleTrader(portal, admin)
    const hold = async (iban: string) => read(Payout, await ask(trader, 'bank', { ...bank, iban })).hold
    expect(await hold(IBAN)).toBeNull()
    const email = `changed.${trader.email}`
    expect((await admin.patch(`/api/admin/user/${trader.id}`, { email })).status).toBe(200)
    expect(await hold(IBAN)).toBeNull()
    const other = 'GB29NWBK60161331926819'
    const answer = await ask(trader, 'bank', { ...bank, iban: other })
    expect(read(Payout, answer).hold).toBeNull()
    const listed = read(z.array(AdminPayout), await admin.get(`/api/admin/payouts?userId=${trader.id}`, after(answer)))
    expect(listed[0]?.hold?.reason).toMatch(/^The email was changed/)
    expect(listed[1]?.hold).toBeNull()
  })

  it('is stored only encrypted, and gone with its person', async () => {
    const trader = await eligibleTrader(portal, admin)
    const { id } = read(Payout, await ask(trader, 'bank', bank))
    for await (const events of portal.running.parts.eventStore.readStream(`account-${trader.id}-a1`))
      expect(events.map(({ data }) => data).join()).not.toContain(IBAN)
    const deleted = await admin.delete(`/api/admin/user/${trader.id}`)
    const listed = await admin.get(`/api/admin/payouts?search=${id}`, after(deleted))
    expect(listed.body).toMatchObject([{ id, destination: null, paymentDetails: 'erased', status: 'rejected' }])
  })
})
