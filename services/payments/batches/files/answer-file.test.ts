import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultsBySchema, whyNoSchemas } from '#test-support/iso20022/iso20022-schemas.ts'
import { type AnswerFormat, LARGEST_ANSWER_FILE } from '../batch-vocabulary.ts'
import { readAnswers } from './answer-file.ts'
import { UnreadableFile } from './bank-answer.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (format: AnswerFormat, text: string) => readAnswers(format, bytes(text))

const HEADER = 'reference,amount,currency,state,reason\n'

/** A report on an order; `version` as in its namespace. */
const pain002 = (below: string, { version = '001.03', group = '' } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.${version}">
<CstmrPmtStsRpt>
<GrpHdr><MsgId>m1</MsgId><CreDtTm>2026-11-26T08:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>b7k2m9</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>
${below}
</CstmrPmtStsRpt>
</Document>`

const instruction = (status: string, payments = '') =>
  `<OrgnlPmtInfAndSts><OrgnlPmtInfId>b7k2m9</OrgnlPmtInfId>${status}${payments}</OrgnlPmtInfAndSts>`

const rejected = `<TxInfAndSts><OrgnlEndToEndId>t-a1-p1-1</OrgnlEndToEndId><TxSts>RJCT</TxSts>
<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Closed on 1 May</AddtlInf></StsRsnInf>
<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">2944.00</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>`

const statement = (entries: string, version = '001.08') =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>s1</MsgId><CreDtTm>2026-11-26T18:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>s1</Id>
${entries}
</Stmt></BkToCstmrStmt></Document>`

const entry = (details: string, { amount = '2944.00', direction = 'DBIT', status = '<Cd>BOOK</Cd>', more = '' } = {}) =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${more}<Sts>${status}</Sts><NtryDtls>${details}</NtryDtls></Ntry>`

const booked = (reference: string, more = '') =>
  `<TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs>${more}</TxDtls>`

describe('answers in a table', () => {
  it('are read row by row', () => {
    const text = `\ufeff${HEADER}t-a1-p1-1,2944.00,EUR,paid,\r\n\n"t-a1-p2-1",0.01,USD,failed,"AC04, said ""no""\nand more"\n`
    expect(read('csv', text)).toEqual([
      {
        place: 'line 2',
        about: { reference: 't-a1-p1-1' },
        state: 'paid',
        amount: 294_400,
        currency: 'EUR',
        reason: null,
      },
      {
        ...{ place: 'line 4', about: { reference: 't-a1-p2-1' }, state: 'failed', amount: 1, currency: 'USD' },
        reason: 'AC04, said "no" and more',
      },
    ])
    expect(read('csv', HEADER)).toEqual([])
  })

  const row = 't-a1-p1-1,2944.00,EUR,paid,\n'
  it.each([
    [
      'another header',
      'Reference,amount,currency,state,reason\n',
      'Line 1: the header has to be reference,amount,currency,state,reason',
    ],
    [
      'a column twice',
      'reference,amount,amount,currency,state,reason\n',
      'Line 1: the header has to be reference,amount,currency,state,reason',
    ],
    ['no header', row, 'Line 1: the header has to be reference,amount,currency,state,reason'],
    [
      'a cell too much',
      `${HEADER}${row}t-a1-p1-1,2944.00,EUR,paid,,x\n`,
      'Line 3: each row needs 5 cells, separated by commas',
    ],
    ['semicolons', `${HEADER}t;1.00;EUR;paid;\n`, 'Line 2: each row needs 5 cells, separated by commas'],
    ['an open quotation mark', `${HEADER}${row}"t-a1`, 'Line 3: a quotation mark is not closed'],
    ['a quotation mark inside', `${HEADER}t"x,1.00,EUR,paid,\n`, 'Line 2: a quotation mark stands inside a cell'],
    ['a row without end', `${HEADER}t,1.00,EUR,paid,${'x'.repeat(5000)}\n`, 'Line 2: the row is too long'],
    ['no reference', `${HEADER},1.00,EUR,paid,\n`, 'Line 2: the reference needs 1 to 35 plain characters'],
    ['an amount with a comma', `${HEADER}t,"1,00",EUR,paid,\n`, 'Line 2: the amount has to be like 3200.00, above 0'],
    ['an amount without cents', `${HEADER}t,1,EUR,paid,\n`, 'Line 2: the amount has to be like 3200.00, above 0'],
    ['a negative amount', `${HEADER}t,-1.00,EUR,paid,\n`, 'Line 2: the amount has to be like 3200.00, above 0'],
    ['no amount', `${HEADER}t,0.00,EUR,paid,\n`, 'Line 2: the amount has to be like 3200.00, above 0'],
    [
      'a currency in small letters',
      `${HEADER}t,1.00,eur,paid,\n`,
      'Line 2: the currency has to be three capital letters',
    ],
    ['another state', `${HEADER}t,1.00,EUR,open,\n`, 'Line 2: the state has to be sent, paid, failed or returned'],
  ])('are refused with %s', (_what, text, message) => {
    expect(() => read('csv', text)).toThrow(new UnreadableFile(message))
  })
})

describe('a report on an order', () => {
  it('says what became of payments', () => {
    expect(read('pain.002', pain002(instruction('<PmtInfSts>PART</PmtInfSts>', rejected)))).toEqual([
      {
        ...{ place: 'line 6', about: { reference: 't-a1-p1-1' }, state: 'failed', amount: 294_400, currency: 'EUR' },
        reason: 'AC04, the account is closed; Closed on 1 May',
      },
    ])
  })

  it('says of the whole instruction what it does not say of a payment', () => {
    expect(read('pain.002', pain002(instruction('<PmtInfSts>RJCT</PmtInfSts>', rejected))).at(-1)).toEqual({
      ...{ place: 'line 6', about: { batch: 'b7k2m9', except: new Set(['t-a1-p1-1']) }, state: 'failed' },
      ...{ amount: null, currency: null, reason: null },
    })
  })

  it('says of the whole order what it does not say of an instruction', () => {
    const group = '<GrpSts>ACSC</GrpSts>'
    expect(read('pain.002', pain002('', { group }))).toMatchObject([{ about: { batch: 'b7k2m9' }, state: 'paid' }])
    const below = instruction('<PmtInfSts>ACSP</PmtInfSts>')
    expect(read('pain.002', pain002(below, { group }))).toMatchObject([{ about: { batch: 'b7k2m9' }, state: 'sent' }])
  })

  it('may leave amounts out, and may be of any version, with a prefix', () => {
    const payment = '<TxInfAndSts><OrgnlEndToEndId>r1</OrgnlEndToEndId><TxSts>ACCP</TxSts></TxInfAndSts>'
    const message = pain002(instruction('', payment), { version: '001.12' })
    const prefixed = message.replaceAll(/<(\/?)([A-Z])/g, '<$1n:$2').replace('xmlns=', 'xmlns:n=')
    for (const text of [message, prefixed])
      expect(read('pain.002', text)).toMatchObject([{ about: { reference: 'r1' }, state: 'sent', amount: null }])
  })

  it.skipIf(whyNoSchemas)('is read here as the schema of ISO 20022 has it', async () => {
    const full = pain002(instruction('<PmtInfSts>PART</PmtInfSts>', rejected), { group: '<GrpSts>PART</GrpSts>' })
    expect(await faultsBySchema('pain.002.001.03', full)).toEqual([])
    expect(await faultsBySchema('pain.002.001.12', full.replace('pain.002.001.03', 'pain.002.001.12'))).toEqual([])
  })

  it.each([
    ['a status that does not exist', instruction('<PmtInfSts>OKAY</PmtInfSts>'), 'Line 6: "OKAY" is no status'],
    [
      'a payment without reference',
      instruction('', '<TxInfAndSts><TxSts>RJCT</TxSts></TxInfAndSts>'),
      'Line 6: a payment has no OrgnlEndToEndId',
    ],
    [
      'a payment without status',
      instruction('', '<TxInfAndSts><OrgnlEndToEndId>r</OrgnlEndToEndId></TxInfAndSts>'),
      'Line 6: a payment has no status',
    ],
    [
      'two references',
      instruction('', `${rejected.replace('<TxSts>', '<OrgnlEndToEndId>r2</OrgnlEndToEndId><TxSts>')}`),
      'Line 6: TxInfAndSts has a second OrgnlEndToEndId',
    ],
    [
      'a fraction of a cent',
      instruction('', rejected.replace('2944.00', '2944.001')),
      'Line 8: "2944.001" is no amount in whole cents',
    ],
    [
      'an amount without currency',
      instruction('', rejected.replace(' Ccy="EUR"', '')),
      'Line 8: the amount has no currency',
    ],
    [
      'a reference of 36 characters',
      instruction('', rejected.replace('t-a1-p1-1', 'r'.repeat(36))),
      'Line 6: a reference has more than 35 characters',
    ],
  ])('is refused with %s', (_what, below, message) => {
    expect(() => read('pain.002', pain002(below))).toThrow(new UnreadableFile(message))
  })
})

describe('a statement', () => {
  it('says which debits were booked, each with its own amount', () => {
    const many = entry(
      booked('r1', '<Amt Ccy="EUR">1.5</Amt>') +
        booked('r2', '<AmtDtls><TxAmt><Amt Ccy="EUR">2.00000</Amt></TxAmt></AmtDtls>') +
        booked('r3', '<AmtDtls><InstdAmt><Amt Ccy="EUR">3</Amt></InstdAmt></AmtDtls>'),
      { amount: '6.50' },
    )
    const answers = read('camt.053', statement(`${many}\n${entry(booked('r4'), { status: 'BOOK' })}`, '001.02'))
    expect(answers.map(({ about, state, amount, place }) => [about, state, amount, place])).toEqual([
      [{ reference: 'r1' }, 'paid', 150, 'line 4'],
      [{ reference: 'r2' }, 'paid', 200, 'line 4'],
      [{ reference: 'r3' }, 'paid', 300, 'line 4'],
      [{ reference: 'r4' }, 'paid', 294_400, 'line 5'],
    ])
  })

  it('says which came back, by the reason, the reversal or the code of the transaction', () => {
    const returned = '<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>'
    const code = '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>'
    const direction = 'CRDT'
    const entries = [
      entry(booked('r1', returned), { direction }),
      entry(booked('r2'), { direction, more: '<RvslInd>true</RvslInd>' }),
      entry(booked('r3'), { direction, more: code }),
    ]
    expect(read('camt.053', statement(entries.join(''))).map(({ state, reason }) => [state, reason])).toEqual([
      ['returned', 'AC01, the account number is wrong'],
      ['returned', null],
      ['returned', null],
    ])
  })

  it('says that a whole batch was booked', () => {
    const batch = '<Btch><PmtInfId>b7k2m9</PmtInfId><NbOfTxs>2</NbOfTxs><TtlAmt Ccy="EUR">10.00</TtlAmt></Btch>'
    expect(read('camt.053', statement(entry(batch)))).toEqual([
      {
        ...{ place: 'line 4', about: { batch: 'b7k2m9', except: new Set() }, state: 'paid' },
        ...{ amount: 1000, currency: 'EUR', reason: null },
      },
    ])
  })

  it('says nothing of what is not booked, not ours, or a payment to the firm', () => {
    const others = [
      entry(booked('r1'), { status: '<Cd>PDNG</Cd>' }),
      entry(booked('NOTPROVIDED')),
      entry('<TxDtls><Refs/></TxDtls>'),
      entry(booked('r2'), { direction: 'CRDT' }),
      '<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts></Ntry>',
    ]
    expect(read('camt.053', statement(others.join('')))).toEqual([])
  })

  it.skipIf(whyNoSchemas)('is read here as the schema of ISO 20022 has it', async () => {
    const balance = `<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Dt><Dt>2026-11-26</Dt></Dt></Bal>`
    const code = '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>'
    const complete = (status: string, amount: string) => `<CreDtTm>2026-11-26T18:00:00Z</CreDtTm>
<Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></Acct>${balance}
<Ntry><Amt Ccy="EUR">2944.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>${status}</Sts>${code}
<NtryDtls><TxDtls><Refs><EndToEndId>t-a1-p1-1</EndToEndId></Refs>${amount}
<RtrInf><Rsn><Cd>AC06</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry>`
    const [older, newer] = [
      statement(complete('BOOK', '<AmtDtls><TxAmt><Amt Ccy="EUR">2944.00</Amt></TxAmt></AmtDtls>'), '001.02'),
      statement(complete('<Cd>BOOK</Cd>', '<Amt Ccy="EUR">2944.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>')),
    ]
    expect(await faultsBySchema('camt.053.001.02', older)).toEqual([])
    expect(await faultsBySchema('camt.053.001.08', newer)).toEqual([])
    for (const text of [older, newer])
      expect(read('camt.053', text)).toMatchObject([
        {
          about: { reference: 't-a1-p1-1' },
          state: 'returned',
          amount: 294_400,
          reason: 'AC06, the account is blocked',
        },
      ])
  })

  it('is refused without a direction or an amount', () => {
    expect(() => read('camt.053', statement(entry(booked('r1'), { direction: '?' })))).toThrow(
      'Line 4: the entry is neither a debit nor a credit',
    )
    expect(() => read('camt.053', statement(entry(booked('r1') + booked('r2'))))).toThrow(
      'Line 4: the payment has no amount',
    )
  })
})

describe('a hostile file', () => {
  const entity = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
  it.each([
    ['is empty', '', 'The file is empty'],
    [
      'declares entities',
      `<?xml version="1.0"?>\n${entity}<Document>&b;</Document>`,
      'Line 2: the file has a DTD, which no bank sends',
    ],
    [
      'names an external DTD',
      '<!doctype Document SYSTEM "file:///etc/passwd"><Document/>',
      'Line 1: the file has a DTD, which no bank sends',
    ],
    ['uses an entity', `${statement('').replace('s1<', '&xxe;<')}`, "Line 2: Named entity isn't defined: &xxe;"],
    [
      'is written in another encoding',
      '<?xml version="1.0" encoding="ISO-8859-1"?><Document/>',
      'Line 1: the file says that it is written in ISO-8859-1. Export it in UTF-8',
    ],
    ['ends early', statement('<Ntry>').replace(/<.Stmt>[^]*/, ''), 'Line 4: Missing end tag for element Ntry'],
    ['is no XML', '{"paid": true}', 'Line 1: Root element is missing or invalid'],
    [
      'is another message',
      pain002(''),
      'Line 2: this is no camt.053, but Document of urn:iso:std:iso:20022:tech:xsd:pain.002.001.03',
    ],
    ['has no namespace', '<Document><BkToCstmrStmt/></Document>', 'Line 1: this is no camt.053, but Document'],
    ['is nested a million times', '<a>'.repeat(1_000_000), 'Line 1: the elements are nested too deeply'],
  ])('that %s is refused', (_what, text, message) => {
    expect(() => read('camt.053', text)).toThrow(new UnreadableFile(message))
  })

  it('that is too large is refused before it is read', () => {
    expect(() => readAnswers('csv', new Uint8Array(LARGEST_ANSWER_FILE + 1))).toThrow('The file is larger than 4 MB')
  })

  it('that is not UTF-8 is refused with the line', () => {
    const latin1 = Uint8Array.of(...bytes(`${HEADER}t,1.00,EUR,failed,`), 0xfc)
    for (const format of ['csv', 'camt.053'] as const)
      expect(() => readAnswers(format, latin1)).toThrow(new UnreadableFile('Line 2: the file is not written in UTF-8'))
    const utf16 = new Uint8Array(Buffer.from(`\ufeff${statement('')}`, 'utf16le'))
    expect(() => readAnswers('camt.053', utf16)).toThrow('Line 1: the file is not written in UTF-8')
  })

  it('of the largest size is read in seconds', () => {
    const text = statement('<a>x</a>'.repeat(500_000))
    expect(text.length).toBeGreaterThan(LARGEST_ANSWER_FILE - 200_000)
    const before = performance.now()
    expect(read('camt.053', text)).toEqual([])
    expect(performance.now() - before).toBeLessThan(15_000)
  })

  it('is read or refused with a sentence, however it was changed', () => {
    const good = {
      'pain.002': pain002(instruction('<PmtInfSts>RJCT</PmtInfSts>', rejected)),
      'camt.053': statement(entry(booked('r1', '<RtrInf><Rsn><Cd>AC01</Cd></Rsn></RtrInf>'), { direction: 'CRDT' })),
      csv: `${HEADER}t-a1-p1-1,2944.00,EUR,failed,"AC04, closed"\n`,
    }
    const change = fc.record({
      format: fc.constantFrom<AnswerFormat>('csv', 'pain.002', 'camt.053'),
      at: fc.nat(),
      gone: fc.nat({ max: 40 }),
      instead: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 8 }),
        fc.constantFrom('<', '&', '"', ',', '\n', '</Ntry>'),
      ),
    })
    let refused = 0
    fc.assert(
      fc.property(change, ({ format, at, gone, instead }) => {
        const text = good[format]
        const start = at % text.length
        try {
          for (const { amount, place } of read(format, text.slice(0, start) + instead + text.slice(start + gone))) {
            expect(amount === null || Number.isSafeInteger(amount)).toBe(true)
            expect(place).toMatch(/^line \d+$/)
          }
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableFile)
          expect(String(error)).toMatch(/^UnreadableFile: (Line \d+: \S|The file )/)
          refused++
        }
      }),
      { numRuns: 2000 },
    )
    expect(refused).toBeGreaterThan(0)
  })
})
