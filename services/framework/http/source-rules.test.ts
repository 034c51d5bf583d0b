import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

/** What no code of the portal does, so that no test of its behaviour could show it (docs/security.md cites these). */

const root = join(import.meta.dirname, '../../..')
const isTest = /\.(test|long|child)\.|\.conformance\.|^services\/system-tests\/|^web\/src\/testing\//

const sources = ['services', 'infra', 'demo', 'web/src', 'web/verify', 'web/certificate'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !isTest.test(file) && !file.endsWith('.gen.ts'))
    .map((file) => ({ file, code: withoutComments(readFileSync(join(root, file), 'utf8')) })),
)

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}

/** It has a thread of its own, which runs the same program. */
const CLI = 'services/cli/cli.ts'
/** Starts threads, and the one that reads statements. */
const THREADS = 'infra/supervised-thread.ts'
const STATEMENT_THREAD = 'services/trading/imports/server/statement-thread.ts'

/** The files that match, except the allowed ones. */
const filesWith = (pattern: RegExp, allowed: readonly string[] = []) =>
  sources.filter(({ code }) => pattern.test(code)).flatMap(({ file }) => (allowed.includes(file) ? [] : [file]))

describe('the portal', () => {
  it('runs no text as code, and starts no other program', () => {
    expect(sources.length).toBeGreaterThan(300)
    // The program reads the files of strangers in threads. The launcher builds the program before it starts it.
    expect(filesWith(/child_process|node:vm\b|worker_threads/).toSorted()).toEqual([
      THREADS,
      CLI,
      'services/launch.mjs',
      STATEMENT_THREAD,
    ])
    expect(filesWith(/(?<![\w.])eval\(|new Function\(|set(Timeout|Interval)\(['"`]/)).toEqual([])
  })

  it('puts no text into a page as markup', () => {
    expect(
      filesWith(
        /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|srcdoc|createContextualFragment/,
      ),
    ).toEqual([])
  })

  it('parses no XML, and compiles no template', () => {
    expect(filesWith(/DOMParser|xml2js|fast-xml-parser|xpath|handlebars|nunjucks|\bejs\b/i)).toEqual([])
  })

  it('requests no address that a person gave', () => {
    expect(filesWith(/(?<![\w.])fetch\(|\bhttps?\.(get|request)\(|axios|undici/, callers)).toEqual([])
  })

  it('checks the certificate of every server', () => {
    expect(
      filesWith(
        /rejectUnauthorized: false|tlsAllowInvalid|tlsInsecure|checkServerIdentity|NODE_TLS_REJECT_UNAUTHORIZED/,
      ),
    ).toEqual([])
  })

  it('encrypts with AES-256-GCM, hashes with SHA-256, and takes secrets from the system’s random numbers', () => {
    const names = (pattern: RegExp) => [
      ...new Set(sources.flatMap(({ code }) => [...code.matchAll(pattern)].map(([, name]) => name))),
    ]
    expect(names(/create(?:Cipher|Decipher)iv\(\s*'([^']+)'/g)).toEqual(['aes-256-gcm'])
    expect(names(/(?:createHash|createHmac|hkdfSync|(?<![\w.])hash)\(\s*'([^']+)'/g).toSorted()).toEqual([
      'sha1',
      'sha256',
    ])
    // The name of a script in Redis, which is no secret.
    expect(filesWith(/'(sha1|md5)'/)).toEqual(['infra/redis/redis-connection.ts'])
    // Only pauses before another attempt.
    expect(filesWith(/Math\.random/, jitter)).toEqual([])
  })

  it('keeps in the browser only how the page looks, a firm’s public key, and in a tab what is not sent yet', () => {
    expect(
      filesWith(/localStorage|sessionStorage|indexedDB|document\.cookie|cookieStore|caches\.open/, [
        'web/src/stored.ts',
      ]),
    ).toEqual([])
    const keys = sources.find(({ file }) => file === 'web/src/stored.ts')?.code.matchAll(/'(.+?)'/g)
    expect([...(keys ?? [])].map(([, key]) => key)).toEqual(['theme', 'time-zone', 'proofdesk.firm-key', 'drafts'])
  })

  it('hears messages only of its own pages', () => {
    // The verify page checks files in a worker, which runs its own script: only the two can write to each other.
    const checkWorker = 'web/verify/check-worker.ts'
    expect(filesWith(/postMessage/)).toEqual([
      CLI,
      STATEMENT_THREAD,
      'web/src/features/frame/other-tabs.ts',
      checkWorker,
    ])
    expect(filesWith(/window\.addEventListener\('message'|onmessage/)).toEqual([])
    // Whatever listens without naming a sender hears other windows in a page, and only its owner in a worker.
    expect(filesWith(/(?<![\w.])addEventListener\('message'/)).toEqual([checkWorker])
    const start = sources.find(({ file }) => file === 'web/verify/main.ts')?.code
    expect(start).toMatch(/if \(typeof document === 'undefined'\) serveChecks\(\)\nelse /)
    expect(filesWith(/serveChecks\(/)).toEqual([checkWorker, 'web/verify/main.ts'])
    expect(filesWith(/new (Shared)?Worker\(/)).toEqual([THREADS, checkWorker])
    expect(filesWith(/new BroadcastChannel/)).toEqual(['web/src/features/frame/other-tabs.ts'])
  })

  it('leaves pasting and password managers alone', () => {
    expect(filesWith(/onPaste|onCopy|'paste'/)).toEqual([])
    for (const { file, code } of sources)
      for (const [element] of code.matchAll(/<PasswordInput[^>]*?\/>/gs))
        expect([file, element]).toEqual([file, expect.stringContaining('autoComplete=')])
  })
})

/** Each calls only what the operator has configured, or its own server. */
const callers = [
  'infra/file-store/s3-transport.ts',
  'services/operations/installation-state.ts',
  'services/proof/witness-requests.ts',
  'web/src/api/api.ts',
  'web/src/api/reachability.ts',
]

const jitter = [
  'services/event-sourcing/aggregate-repository.ts',
  'infra/async.ts',
  'infra/outbox/bullmq-outbox.ts',
  'infra/outbox/sqlite-outbox.ts',
  'infra/redis/redis-connection.ts',
]

describe('what is deployed', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')

  it('lets the largest statement pass the proxy', () => {
    const [, megabytes] = /max_size (\d+)MB/.exec(read('infra/deploy/Caddyfile')) ?? []
    const [, mebibytes] =
      /LARGEST_STATEMENT = (\d+) \* 1024 \* 1024/.exec(read('services/trading/imports/import-vocabulary.ts')) ?? []
    expect(Number(mebibytes)).toBeGreaterThan(0)
    expect(Number(megabytes) * 1_000_000).toBeGreaterThan(Number(mebibytes) * 1024 * 1024)
  })

  it('gives each deployed service only the secrets it needs', () => {
    const compose = read('infra/deploy/compose.yaml')
    const secretsOf = (service: string) =>
      new RegExp(`\\n  ${service}:\\n(?:    .*\\n)*?    secrets: \\[(.*)\\]`).exec(compose)?.[1]?.split(', ')
    const all = ['master_key', 'mongodb_url', 'redis_url', 's3_url']
    expect(secretsOf('command')).toEqual([...all, 'admin_access_key'])
    expect(secretsOf('query')).toEqual([...all, 'seals_url'])
    expect(secretsOf('worker')).toEqual([...all, 'seals_url'])
    expect(read('infra/deploy/mongodb-user.js')).toContain("roles: [{ role: 'readWrite', db: 'proofdesk' }]")
  })

  it('depends on exact versions only', () => {
    const { dependencies, devDependencies } = z
      .object({ dependencies: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')))
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)])
  })

  it('installs only packages whose content its lockfile names, and from no registry of its own', () => {
    const entry = z.looseObject({ integrity: z.string().optional(), inBundle: z.boolean().optional() })
    const lockfile = z.object({ packages: z.record(z.string(), entry) })
    const { packages } = lockfile.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
    const [, ...all] = Object.entries(packages)
    expect(all.length).toBeGreaterThan(500)
    // What is bundled in a package is named by that one.
    expect(all.filter(([, each]) => !each.integrity?.startsWith('sha512-') && !each.inBundle)).toEqual([])
    expect(all.filter(([, each]) => 'resolved' in each)).toEqual([])
  })
})
