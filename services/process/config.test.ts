import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BadConfiguration, readConfig } from './config.ts'

/** A file with something in it, gone after the test. */
function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'secret')
  writeFileSync(path, content)
  return path
}

const refusal = (variables: Readonly<Record<string, string>>): string => {
  try {
    readConfig(variables)
  } catch (error) {
    if (error instanceof BadConfiguration) return error.message
    throw error
  }
  throw new Error('It was not refused')
}

it('takes a secret from a file, without the line break at its end', () => {
  const config = readConfig({
    MASTER_KEY_FILE: fileWith('a master key of more than thirty-two characters\n'),
    NEW_MASTER_KEY_FILE: fileWith('another master key of more than thirty-two characters\n'),
    ADMIN_ACCESS_KEY_FILE: fileWith('an access key\n'),
    EVENTSTORE_URL_FILE: fileWith('esdb://events:2113?tls=false\n'),
  })
  expect(config).toMatchObject({
    masterKey: 'a master key of more than thirty-two characters',
    newMasterKey: 'another master key of more than thirty-two characters',
    adminAccessKey: 'an access key',
    eventstoreUrl: 'esdb://events:2113?tls=false',
  })
})

it('refuses a file that is not there, one that is empty, and a secret that is given twice, each in one line that names it', () => {
  expect(refusal({ MASTER_KEY_FILE: '/no/such/file' })).toMatch(/^MASTER_KEY_FILE: .*ENOENT/)
  expect(refusal({ SMTP_URL_FILE: fileWith(' \n') })).toMatch(/^SMTP_URL_FILE: .*empty/)
  expect(refusal({ ADMIN_ACCESS_KEY: 'an access key', ADMIN_ACCESS_KEY_FILE: fileWith('another one') })).toMatch(
    /^ADMIN_ACCESS_KEY_FILE: /,
  )
})

it('names the secret, and not what it is, when the content of its file is no good', () => {
  const message = refusal({ MASTER_KEY_FILE: fileWith('hush-hush') })
  expect(message).toMatch(/^MASTER_KEY: /)
  expect(message).not.toContain('hush')
})

describe('a misspelt variable', () => {
  it.each([
    ['SECOND_APROVAL_ABOVE', 'SECOND_APPROVAL_ABOVE'],
    ['STEP_UP_ABVOE', 'STEP_UP_ABOVE'],
    ['DATADIR', 'DATA_DIR'],
    ['REQUIRE_STAF_SECOND_FACTR', 'REQUIRE_STAFF_SECOND_FACTOR'],
    ['MASTER_KEY_FIEL', 'MASTER_KEY_FILE'],
    ['PROT', 'PORT'],
    ['SMTP_URI', 'SMTP_URL'],
  ])('stops the start and is named: %s', (misspelt, meant) => {
    expect(refusal({ [misspelt]: '5' })).toBe(`${misspelt}: there is no such variable. ${meant} was probably meant`)
  })

  it('is named beside every bad value', () => {
    expect(refusal({ SEAL_SECOND: '60', PORT: 'eighty' })).toMatch(/^SEAL_SECOND: .*; PORT: /)
  })

  it('is not what a system sets, what is empty, nor what is spelt otherwise altogether', () => {
    const system = {
      HOME: '/root',
      PATH: '/bin',
      HOSTNAME: 'portal',
      PWD: '/',
      TERM: 'xterm',
      USER: 'root',
      LANG: 'C',
      TZ: 'UTC',
    }
    const others = {
      SEAL_SECOND: '',
      APP_PORT: '80',
      DB_URL: 'sqlite:',
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres:',
      CI: '1',
    }
    expect(() => readConfig({ ...system, ...others })).not.toThrow()
  })
})

it('serves metrics only where METRICS_PORT is set, and to this machine only unless HOST is set', () => {
  expect(readConfig({}).metrics).toBeUndefined()
  expect(readConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ port: 9464, host: '127.0.0.1' })
  expect(readConfig({ METRICS_PORT: '9464', HOST: '0.0.0.0' }).metrics).toEqual({ port: 9464, host: '0.0.0.0' })
})

describe('buckets', () => {
  it('are named by S3_URL and SEALS_URL, each with credentials of its own', () => {
    const { s3Url, sealsUrl } = readConfig({
      S3_URL: 'https://a:b@s3.example.com/files',
      SEALS_URL: 'http://c:d@other.example.com:9000/seals?region=eu-central-1',
    })
    expect(s3Url).toMatchObject({ accessKey: 'a', secretKey: 'b', bucket: 'files' })
    expect(sealsUrl).toMatchObject({ accessKey: 'c', secretKey: 'd', bucket: 'seals', region: 'eu-central-1' })
  })

  it.each(['S3_URL', 'SEALS_URL'])(
    'are refused by the name of the variable, without repeating a secret: %s',
    (name) => {
      const read = () => readConfig({ [name]: 'https://key:hush@s3.example.com' })
      expect(read).toThrow(new RegExp(`^${name}: `))
      expect(read).not.toThrow('hush')
    },
  )

  it('hold the seals, or a folder does, and not both', () => {
    expect(() => readConfig({ SEALS_DIR: '/seals', SEALS_URL: 'https://a:b@s3.example.com/seals' })).toThrow(
      /^SEALS_URL: SEALS_DIR/,
    )
  })
})

it('takes a plain address of the support, since it is written into pages', () => {
  expect(readConfig({ SUPPORT_EMAIL: 'help+desk@firm.example' }).supportEmail).toBe('help+desk@firm.example')
  expect(readConfig({ SUPPORT_EMAIL: 'q&a@börse.example' }).supportEmail).toBe('q&a@xn--brse-5qa.example')
  for (const address of ['nobody', '"><script>@firm.example', '"a b"@firm.example'])
    expect(() => readConfig({ SUPPORT_EMAIL: address })).toThrow(/^SUPPORT_EMAIL: /)
})

describe('the name of the log', () => {
  it('has no spaces and no plus sign, which signed notes do not allow', () => {
    expect(readConfig({ LOG_ORIGIN: 'portal.example/log' }).logOrigin).toBe('portal.example/log')
    for (const origin of ['portal example', 'portal+log', 'portal\u2003log'])
      expect(() => readConfig({ LOG_ORIGIN: origin })).toThrow(/^LOG_ORIGIN: /)
  })
})

describe('witnesses and time stamps', () => {
  it('are off, or named by WITNESS_POLICY and TSA_URL', () => {
    expect([readConfig({}).witnessPolicy, readConfig({}).tsaUrl]).toEqual([undefined, undefined])
    const config = readConfig({ WITNESS_POLICY: fileWith('quorum none\n'), TSA_URL: 'https://tsa.example/tsr' })
    expect(config.witnessPolicy).toEqual({ logs: [], witnesses: [], quorum: undefined })
    expect(config.tsaUrl?.href).toBe('https://tsa.example/tsr')
  })

  it('are refused in one line that names the variable', () => {
    expect(refusal({ WITNESS_POLICY: '/no/such/file' })).toMatch(/^WITNESS_POLICY: .*ENOENT/)
    expect(refusal({ WITNESS_POLICY: fileWith('quorum all\n') })).toMatch(
      /^WITNESS_POLICY: .* can't be used: Line 1 is invalid: no line before it defines all$/,
    )
    expect(refusal({ TSA_URL: 'ftp://tsa.example' })).toMatch(/^TSA_URL: /)
    expect(refusal({ TSA_URL: 'https://ada:secret@tsa.example' })).toBe('TSA_URL: must have no name and password')
  })
})

describe('what needs a second member of staff', () => {
  const named = (text: string) => readConfig({ SECOND_CONFIRMATION: text }).secondConfirmation

  it('is a list, empty unless it is set', () => {
    expect([readConfig({}).secondConfirmation, named(''), named('batches'), named('batches,')]).toEqual([
      [],
      [],
      ['batches'],
      ['batches'],
    ])
  })

  it('is refused with what nobody confirms', () => {
    expect(refusal({ SECOND_CONFIRMATION: 'batches,lunch' })).toContain('SECOND_CONFIRMATION')
  })
})

describe('what an editor, a shell or an env file left in a value', () => {
  it.each([
    ['DATA_DIR', './data\r', /control character/],
    ['MASTER_KEY', `"${'k7Qx'.repeat(9)}"`, /in quotes/],
    ['FIRM_NAME', "'Northgate'", /in quotes/],
    ['ADMIN_ACCESS_KEY', ' an access key', /a blank/],
    ['S3_URL', 'https://a:b@s3.example.com/files ', /a blank/],
    ['PORT', '3000\n', /control character/],
    ['LOG_LEVEL', '\u00a0info', /a blank/],
    ['MASTER_KEY_FILE', '/run/secrets/key\r', /control character/],
    ['REDIS_URL', '`redis://host`', /in quotes/],
  ])('is refused by name: %s=%j', (name, value, reason) => {
    const message = refusal({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name}: `))
    expect(message).toMatch(reason)
    expect(message).not.toContain('k7Qx')
  })

  it('is not what a name may have in it', () => {
    expect(readConfig({ FIRM_NAME: `Traders' "Elite" Fund` }).firmName).toBe(`Traders' "Elite" Fund`)
  })
})

describe('addresses of this portal', () => {
  it.each([
    'https://portal.example/portal',
    'https://portal.example/?x=1',
    'https://portal.example/#x',
    'https://a:b@portal.example',
  ])('PUBLIC_URL is an origin and nothing else: %s', (url) =>
    expect(refusal({ PUBLIC_URL: url })).toMatch(/^PUBLIC_URL: must be an origin and nothing else/),
  )

  it.each(['https://portal.example', 'https://portal.example/', 'http://[2001:db8::1]:8080'])('PUBLIC_URL=%s', (url) =>
    expect(readConfig({ PUBLIC_URL: url }).publicUrl?.href).toMatch(/^https?:.*\/$/),
  )

  it.each([
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['0.0.0.0', '0.0.0.0'],
    ['localhost', 'localhost'],
  ])('HOST=%s', (written, host) => expect(readConfig({ HOST: written }).host).toBe(host))

  it.each(['http://127.0.0.1', '127.0.0.1:3000', '[::1]:3000', '256.1.1.1/8', 'a b'])('HOST=%s is refused', (host) =>
    expect(refusal({ HOST: host })).toMatch(/^HOST: must be an address/),
  )
})

it.each(['PAYOUT_DECISION_HOURS', 'PAYOUT_SENDING_HOURS', 'CASE_HOURS', 'APPEAL_DAYS'])(
  'refuses a wrong value of %s by its name',
  (variable) => {
    for (const value of ['0', '-1', '1.5', 'a day', '100000'])
      expect(refusal({ [variable]: value })).toMatch(new RegExp(`^${variable}: must be`))
  },
)
