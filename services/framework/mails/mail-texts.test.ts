import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '#test-support/any-text.ts'
import { FIRM, type MailContent, type RenderedMail, render as renderFor } from './mail-layout.ts'
import { findingId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import * as accountMails from '#services/trading/accounts/server/account-mails.ts'
import * as certificateMails from '#services/trading/certificates/server/certificate-mails.ts'
import * as enrolmentMails from '#services/trading/enrolments/server/enrolment-mails.ts'
import * as findingMails from '#services/trading/findings/server/finding-mails.ts'
import * as payoutMails from '#services/payments/payouts/server/payout-mails.ts'
import * as savedDestinationMails from '#services/payments/destinations/server/saved-destination-mails.ts'
import * as secondFactorMails from '#services/identity/second-factors/server/second-factor-mails.ts'
import * as userMails from '#services/identity/users/server/user-mails.ts'

const templates = {
  ...userMails,
  ...secondFactorMails,
  ...accountMails,
  ...findingMails,
  ...payoutMails,
  ...savedDestinationMails,
  ...certificateMails,
  ...enrolmentMails,
}

const brand = { title: 'Proofdesk', accent: null }
const render = (name: string, content: MailContent) => renderFor(name, content, brand)

const expiresAt = Date.UTC(2026, 2, 3, 14, 7, 59)
const link = 'https://firm.example/reset-password?token=a1B2&user=u1#top'
const to = 'Jo Lee'
const payout = {
  payoutId: 'u1234567-a1-p3',
  amount: '$250.00',
  share: '$200.00',
  method: 'Bank Transfer',
  notes: 'Paid today.\nReference 4711.',
  link: 'https://firm.example/payouts?a=1&b=2',
}

const overdue = { payoutId: 'u1234567-a1-p3', amount: '$250.00', due: '2 Nov 2026, 09:10:00 UTC' }

const approved = { rejection: null, destinationLink: null }

const movedPayment = {
  ...{ payoutId: 'u1234567-a1-p3', amount: '$250.00', share: '$200.00', method: 'PayPal', reference: 'p1-1' },
  link: 'https://firm.example/payouts?a=1&b=2',
}

/** A mail, what it was made from, and how to make it from something else. */
interface Sample {
  readonly name: string
  readonly texts: Readonly<Record<string, string>>
  readonly with: (texts: Readonly<Record<string, string>>) => RenderedMail
}

const sample = <Texts extends Readonly<Record<string, string>>>(
  name: string,
  texts: Texts,
  make: (texts: Texts) => MailContent,
): Sample => ({
  name,
  texts: { fullName: to, ...texts },
  with: ({ fullName = to, ...changed }) => render(fullName, make({ ...texts, ...changed })),
})

const none = { dailyDrawdownLimit: null, overallLossLimit: null, profitTarget: null }

type StatusMail = Parameters<typeof templates.accountStatusMail>[0]

const status = (given: Pick<StatusMail, 'from' | 'to' | 'reason' | 'link'> & Partial<StatusMail>): MailContent =>
  present(
    templates.accountStatusMail({ evidence: null, corrects: null, arithmetic: [], supportEmail: undefined, ...given }),
  )

function present(content: MailContent | undefined): MailContent {
  if (!content) throw new Error('There is no such mail')
  return content
}

const samples = [
  sample('passwordReset', { link }, (texts) => templates.passwordReset(texts.link, expiresAt)),
  sample('welcome', { link }, (texts) => templates.welcome(texts.link, expiresAt)),
  sample('emailRevert', { link }, (texts) => templates.emailRevert(texts.link, expiresAt)),
  sample('emailChanged', { link }, (texts) => templates.emailChanged(texts.link)),
  sample('passwordChanged', { link }, (texts) => templates.passwordChanged(texts.link)),
  sample('factorsChanged', { what: 'The passkey "Phone" was added to your Proofdesk account.', link }, (texts) =>
    templates.factorsChanged(texts.what, texts.link),
  ),
  sample('removalRequested', { link, support: 'help@firm.example' }, (texts) =>
    templates.removalRequested(expiresAt, texts.link, texts.support),
  ),
  sample('newBrowser', { browser: 'Firefox on Windows', address: '203.0.113.x', link }, (texts) =>
    templates.newBrowser({ ...texts, at: expiresAt }),
  ),
  sample(
    'accountBanned',
    { reason: 'Shared the account with others.', support: 'help@firm.example' },
    ({ reason, support }) => templates.accountBanned(reason, support),
  ),
  sample('accountUnbanned', { link: 'https://firm.example/?a=1&b=2' }, (texts) =>
    templates.accountUnbanned(texts.link),
  ),
  sample('payoutApproved', payout, (texts) => templates.payoutDecided('approved', { ...texts, ...approved })),
  sample('payoutRejected', payout, (texts) =>
    templates.payoutDecided('rejected', { ...texts, ...approved, rejection: { code: 'incomplete', money: 'stays' } }),
  ),
  sample('payoutOverdue', { ...overdue, link }, (texts) => templates.payoutOverdue({ ...texts, of: 'decision' })),
  sample('payoutForfeited', payout, (texts) =>
    templates.payoutDecided('rejected', {
      ...texts,
      ...approved,
      rejection: { code: 'prohibited-trading', money: 'forfeited' },
    }),
  ),
  sample('payoutApprovedUnchecked', payout, (texts) =>
    templates.payoutDecided('approved', { ...texts, rejection: null, destinationLink: texts.link }),
  ),
  sample('confirmSavedDestination', { name: 'My bank', to: 'Ada, DE89…3000', link }, (texts) =>
    templates.confirmSavedDestination(texts, expiresAt),
  ),
  sample('paymentFailed', { ...movedPayment, reason: 'No account' }, (texts) =>
    templates.paymentMoved('failed', { ...texts, exchanged: null, destinationLink: texts.link }),
  ),
  sample(
    'destinationChanged',
    { payoutId: 'ada00000-a1-p1', to: 'ada@example.com', reason: 'The trader called.', link },
    (texts) => templates.destinationChanged(texts),
  ),
  sample(
    'breached',
    {
      reason: 'Lost more than a day allows.',
      limit: '5% / $500',
      value: '-$612.40',
      link,
      support: 'help@firm.example',
    },
    (texts) =>
      status({
        ...texts,
        from: 'active',
        to: 'breached',
        evidence: { rule: 'daily-drawdown', limit: texts.limit, value: texts.value, occurredAt: expiresAt },
        supportEmail: texts.support,
      }),
  ),
  sample(
    'breachFoundByRules',
    { trade: 'Trade 09:30, EURUSD buy 1.00', reason: 'Daily loss: at the floor.', link },
    ({ trade, ...texts }) =>
      status({
        ...texts,
        from: 'under-review',
        to: 'breached',
        finding: findingId.parse('ada00000-a1-f1'),
        evidence: { rule: 'daily-drawdown', limit: '47500.00', value: '47350.00', occurredAt: expiresAt },
        arithmetic: [
          {
            role: 'start',
            what: 'Balance at the start of 5 Nov 2026',
            at: null,
            amount: toCents(5_000_000),
            observation: null,
          },
          { role: 'part', what: trade, at: expiresAt, amount: toCents(-265_000), observation: 2 },
        ],
      }),
  ),
  sample('breachCorrected', { reason: 'The feed was wrong.', link }, (texts) =>
    status({ ...texts, from: 'breached', to: 'active', corrects: { revision: 3, number: 42 } }),
  ),
  sample('reviewBegan', { reason: 'Trades at the opening.', link }, (texts) =>
    status({ ...texts, from: 'active', to: 'under-review' }),
  ),
  sample('reviewEnded', { reason: 'All trades are fine.', link }, (texts) =>
    status({ ...texts, from: 'under-review', to: 'active' }),
  ),
  sample(
    'limitsChanged',
    { from: '5% / $500', to: '4% / $400', reason: 'A smaller account.', link },
    ({ from, to, reason, link: entry }) =>
      present(
        templates.limitsChanged({
          from: { ...none, dailyDrawdownLimit: from },
          to: { ...none, dailyDrawdownLimit: to },
          reason,
          link: entry,
        }),
      ),
  ),
  sample('phaseChanged', { from: 'Phase 1', to: 'Phase 2', link }, (texts) => present(templates.phaseChanged(texts))),
  sample('limitNeared', { link }, (texts) =>
    templates.limitNeared({
      ...texts,
      ...{ rule: { index: 1, kind: 'daily-loss' }, day: '2026-03-02' },
      ...{ limit: toCents(500_000), floor: toCents(9_500_000), room: toCents(80_000) },
    }),
  ),
  sample('hitsNoted', { said: 'Trade 881 of EURUSD was held for 41 s; at least 60 s', link }, ({ said, link: entry }) =>
    templates.hitsNoted({
      ...{ rule: { index: 2, kind: 'holding-time' }, consequence: 'excludes-profit', said: [said], link: entry },
      ...{ found: [{ observation: 3, trade: '881' }], gone: [], excluded: { from: toCents(0), to: toCents(6_000) } },
      ...{ at: 1_772_442_000_000, endsAt: 1_772_496_000_000 },
    }),
  ),
  sample('loginReady', { link }, (texts) => templates.loginReady(texts.link)),
  sample('payoutsEnabled', { link }, (texts) => templates.payoutsEnabled(texts.link)),
  sample('enrolled', { name: 'Two Step 50k', programme: 'Two Step 50k, version 1', link }, (texts) =>
    templates.enrolled({ ...texts, accepted: false }),
  ),
  sample('certificateIssued', { certificateName: 'Phase 1 passed', link }, (texts) =>
    templates.certificateIssued(texts.certificateName, texts.link),
  ),
]

const fields = samples.flatMap((each) => Object.keys(each.texts).map((field) => ({ ...each, mail: each.name, field })))

describe.each(samples)('mail $name', (each) => {
  const mail = each.with({})

  it('says the same in text and HTML', () => {
    const shown = textOf(mail.html)
    for (const said of pieces(mail.text)) expect(shown).toContain(said)
    const button = 'If the button does not work, open this address: '
    for (const said of pieces(shown.replace(button, ''))) expect(mail.text).toContain(said)
  })

  it('tells all it was given, to whom, from where and why', () => {
    for (const part of [mail.text, textOf(mail.html)]) {
      for (const given of Object.values(each.texts)) expect(part).toContain(given)
      expect(part).toMatch(/^Proofdesk\n/)
      expect(part).toContain('Hello Jo Lee,')
      expect(part).toMatch(/\nYou're receiving this email because [^\n]+ Proofdesk[^\n]*\.\s*$/)
    }
  })

  it('has a plain subject and a calm voice', () => {
    expect(mail.subject).toMatch(/^[A-Z][\w $.:]{9,60}$/)
    expect(mail.text).not.toContain('!')
    expect(textOf(mail.html)).not.toContain('!')
    expect(mail.html).toContain(`<title>${mail.subject}</title>`)
  })

  it('has its link whole, escaped only in HTML', () => {
    const { link: given } = each.texts
    const targets = [...mail.html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target)
    expect(targets).toEqual(given ? [given.replaceAll('&', '&amp;')] : [])
    if (given) expect(mail.text.split('\n')).toContain(given)
  })

  it('loads nothing and runs nothing', () => {
    expect(mail.html).not.toMatch(/<(img|link|script|style|iframe|form|svg|object)|url\(|@import|src=/i)
  })

  it('keeps its text', () => {
    expect(`${mail.subject}\n\n${mail.text}`).toMatchSnapshot()
  })
})

describe.each(fields)('$field of mail $mail', (each) => {
  const clean = tagsOf(each.with({}).html)

  it('can not bring HTML with it', () => {
    const attack = `<script>alert("1")</script><b onclick='x'>&amp;`
    const mail = each.with({ [each.field]: attack })
    expect(mail.html).not.toContain('<script')
    expect(mail.html).not.toContain('<b ')
    expect(mail.html).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;b onclick=&#39;x&#39;&gt;&amp;amp;',
    )
    expect(mail.text).toContain(attack)
    expect(tagsOf(mail.html)).toEqual(clean)
  })

  it('changes no tag or attribute, and of the text only its own line', () => {
    const ownLines = new Set(['reason', 'notes'])
    fc.assert(
      fc.property(anyText(), (odd) => {
        const mail = each.with({ [each.field]: `x${odd}` })
        expect(tagsOf(mail.html)).toEqual(clean)
        expect(mail.subject).not.toMatch(/\p{Cc}/u)
        if (ownLines.has(each.field)) return
        expect(mail.text.split('\n')).toHaveLength(each.with({}).text.split('\n').length)
      }),
      {
        examples: [['\r\nBcc: thief@mail.example'], ['\n\nYour bank changed.'], ['\u2028"><script>'], ['\0'], ['$&$1']],
      },
    )
  })
})

describe('what some mails say besides', () => {
  it('a reset link is valid for one hour, works once, and can be ignored', () => {
    const { text } = render(to, templates.passwordReset(link, expiresAt))
    expect(text).toContain('The link works once and is valid for one hour, until 3 March 2026, 14:07 UTC.')
    expect(text).toContain('If you did not request this, ignore this email.')
  })

  it('every mail names the firm, in its colour', () => {
    const content = {
      subject: `Your ${FIRM} account`,
      body: [{ action: `Open ${FIRM}`, link }],
      footer: `From ${FIRM}`,
    }
    const { subject, text, html } = renderFor(to, content, { title: 'North & <Gate>', accent: '#0369a1' })
    expect(subject).toBe('Your North & <Gate> account')
    expect(text).toMatch(/^North & <Gate>\n[^]*Open North & <Gate>:[^]*From North & <Gate>$/)
    expect(html).toContain('background-color:#0369a1')
    expect(html).toContain('>Open North &amp; &lt;Gate&gt;</a>')
    expect(html).not.toContain(FIRM)
  })

  it('a first link says until when it is valid', () => {
    expect(render(to, templates.welcome(link, expiresAt)).text).toContain('valid until 3 March 2026, 14:07 UTC.')
  })

  it('a ban without a reason says where to turn', () => {
    for (const reason of ['', '  '])
      expect(render(to, templates.accountBanned(reason, undefined)).text).toContain(
        'Your account has been banned. Please contact support for assistance.',
      )
  })

  it('a verdict without notes says so', () => {
    for (const notes of ['', '\n'])
      expect(render(to, templates.payoutDecided('approved', { ...payout, ...approved, notes })).text).toContain(
        'Admin Notes: No notes',
      )
  })

  it('an amount of a limit has its thousands separated, and its sign', () => {
    const [from, changed] = [
      { ...none, overallLossLimit: '10% / $2500', profitTarget: '1000' },
      { ...none, overallLossLimit: '12% / $3000', profitTarget: '12500.5' },
    ]
    const { text } = render(to, present(templates.limitsChanged({ from, to: changed, reason: null, link })))
    expect(text).toContain('10% / $2,500 → 12% / $3,000')
    expect(text).toContain('$1,000.00 → $12,500.50')
  })

  it('nothing is said about the first limits and phase of an account, nor about a status without news', () => {
    expect(
      templates.limitsChanged({ from: none, to: { ...none, profitTarget: '1000' }, reason: null, link }),
    ).toBeUndefined()
    expect(templates.phaseChanged({ from: null, to: 'Phase 1', link })).toBeUndefined()
    const activated = {
      from: 'pending',
      to: 'active',
      reason: null,
      evidence: null,
      corrects: null,
      arithmetic: [],
      link,
      supportEmail: undefined,
    } as const
    expect(templates.accountStatusMail(activated)).toBeUndefined()
  })

  it('the verdict is in the subject', () => {
    expect(templates.payoutDecided('approved', { ...payout, ...approved }).subject).toBe(
      'Your payout of $250.00 was approved',
    )
    expect(templates.payoutDecided('rejected', { ...payout, ...approved }).subject).toBe(
      'Your payout of $250.00 was rejected',
    )
  })
})

/** What is to be read in an HTML mail: line by line, with entities resolved. */
function textOf(html: string): string {
  const signs: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return html
    .replace(/<title>[^<]*<\/title>/, '')
    .replaceAll('<br>', '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&([^;]+);/g, (_, name: string) => signs[name] ?? 'unknown entity')
    .replaceAll(/\n+/g, '\n')
    .trim()
}

/** Sentences, labels and values, which text and HTML put in lines of their own or not. */
const pieces = (text: string) =>
  text
    .split(/\n|: /)
    .map((said) => said.replace(/:$/, '').trim())
    .filter((said) => said !== '')

/** Every tag with the names of its attributes, in order, without the line breaks of people's words. */
const tagsOf = (html: string) =>
  [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replaceAll(/"[^"]*"/g, '""')).filter((tag) => tag !== '<br>')
