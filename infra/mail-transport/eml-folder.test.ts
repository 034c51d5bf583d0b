import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Unavailable } from '../failures.ts'
import { PermanentMailFailure } from '../outbox/outbox.ts'
import { mail, mailTransportConformance } from './mail-transport.conformance.ts'
import type { MailTransport } from './mail-transport.ts'
import { createEmlFolder } from './eml-folder.ts'

const from = { name: 'Proofdesk', address: 'no-reply@firm.example' }

let testFolder = ''
let folders = 0
beforeAll(async () => {
  testFolder = await mkdtemp(join(tmpdir(), 'outbox-'))
})
afterAll(() => rm(testFolder, { recursive: true }))

const newFolder = () => join(testFolder, String(folders++))

mailTransportConformance('outbox', async () => {
  const folder = newFolder()
  return {
    transport: createEmlFolder(folder, from),
    from,
    delivered: async () => Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name)))),
    disconnect: async () => {
      await rename(folder, `${folder}-away`)
      // Tests run as root, whom no permission holds up; a file in the folder's place does.
      await writeFile(folder, '')
    },
    reconnect: async () => {
      await unlink(folder)
      await rename(`${folder}-away`, folder)
    },
  }
})

describe('outbox, itself', () => {
  let folder = ''
  let outbox: MailTransport
  beforeEach(() => {
    folder = newFolder()
    outbox = createEmlFolder(folder, from)
  })
  const files = async () => (await readdir(folder)).sort()

  it('has one file a mail, named after recipient and job, for its owner only', async () => {
    await outbox.send(mail({ recipientId: 'u1', id: 'j1' }))
    await outbox.send(mail({ recipientId: 'u2', id: 'j2' }))
    expect(await files()).toEqual(['u1.j1.eml', 'u2.j2.eml'])
    expect((await stat(join(folder, 'u1.j1.eml'))).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('replaces a mail by the same one sent again', async () => {
    await outbox.send(mail({ recipientId: 'u1', id: 'j1', subject: 'First' }))
    await outbox.send(mail({ recipientId: 'u1', id: 'j1', subject: 'Second' }))
    expect(await files()).toEqual(['u1.j1.eml'])
    expect((await PostalMime.parse(await readFile(join(folder, 'u1.j1.eml')))).subject).toBe('Second')
  })

  it('keeps a mail whole when it is sent twice at once', async () => {
    const twice = mail({ recipientId: 'u1', id: 'j1', text: 'x'.repeat(200_000) })
    await Promise.all([outbox.send(twice), outbox.send(twice)])
    expect(await files()).toEqual(['u1.j1.eml'])
    expect((await PostalMime.parse(await readFile(join(folder, 'u1.j1.eml')))).text?.trimEnd()).toBe(twice.text)
  })

  it('forgets all mails to a person, with what a killed process left of one, and of nobody else', async () => {
    for (const recipientId of ['u1', 'u10', 'u1-a', 'u1--j', 'U1', 'au1']) for (const id of ['j1', 'u1']) await outbox.send(mail({ recipientId, id }))
    await writeFile(join(folder, 'u1.j3.eml.12345.tmp'), 'To: Jo')
    await outbox.forget('u1')
    expect(await files()).toEqual(['U1', 'au1', 'u1--j', 'u1-a', 'u10'].flatMap((id) => [`${id}.j1.eml`, `${id}.u1.eml`]))
    await outbox.forget('u1')
  })

  it('takes no more mail for a person it has forgotten, not even one on its way', async () => {
    const onItsWay = outbox.send(mail({ recipientId: 'u1', id: 'j1' }))
    await Promise.all([expect(onItsWay).rejects.toThrow(PermanentMailFailure), outbox.forget('u1')])
    await expect(outbox.send(mail({ recipientId: 'u1', id: 'j2' }))).rejects.toThrow(PermanentMailFailure)
    expect(await files()).toEqual([])
  })

  it.each(['', '.', '..', '../u1', 'u1/../u2', '/etc/passwd', 'u1.j1', 'u\0', 'ü', 'a b', 'x'.repeat(101)])(
    'gives up at once on an id that can be no file name: %j',
    async (odd) => {
      await expect(outbox.send(mail({ recipientId: odd }))).rejects.toThrow(PermanentMailFailure)
      await expect(outbox.send(mail({ id: odd }))).rejects.toThrow(PermanentMailFailure)
      await outbox.send(mail({ recipientId: 'u1', id: 'j1' }))
      await outbox.forget(odd)
      expect(await files()).toEqual(['u1.j1.eml'])
    },
  )

  it('leaves nothing half-written when a mail can not be put in its place', async () => {
    await mkdir(join(folder, 'u1.j1.eml'))
    await expect(outbox.send(mail({ recipientId: 'u1', id: 'j1' }))).rejects.toThrow(Unavailable)
    expect(await files()).toEqual(['u1.j1.eml'])
    expect(await readdir(join(folder, 'u1.j1.eml'))).toEqual([])
  })

  it('does not open where no folder can be, and forgets nobody while it is away', async () => {
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    await expect(outbox.forget('u1')).rejects.toThrow(Unavailable)
    expect(() => createEmlFolder(folder, from)).toThrow(Unavailable)
    expect(() => createEmlFolder(join(folder, 'outbox'), from)).toThrow(Unavailable)
  })
})
