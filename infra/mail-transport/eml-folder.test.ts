import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { PermanentMailFailure } from '#infra/outbox/outbox.ts'
import { from, mail, mailTransportConformance } from './mail-transport.conformance.ts'
import type { MailTransport } from './mail-transport.ts'
import { createEmlFolder } from './eml-folder.ts'

let testFolder = ''
let folders = 0
beforeAll(async () => {
  testFolder = await mkdtemp(join(tmpdir(), 'outbox-'))
})
afterAll(() => rm(testFolder, { recursive: true }))

const newFolder = () => join(testFolder, String(folders++))

mailTransportConformance('EML folder', async () => {
  const folder = newFolder()
  return {
    open: () => createEmlFolder(folder, from),
    delivered: async () => Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name)))),
    disconnect: async () => {
      await rename(folder, `${folder}-away`)
      // Tests may run as root, who ignores permissions; a file instead of the folder works always.
      await writeFile(folder, '')
    },
    reconnect: async () => {
      await unlink(folder)
      await rename(`${folder}-away`, folder)
    },
  }
})

describe('EML folder, itself', () => {
  let folder = ''
  let transport: MailTransport
  beforeEach(() => {
    folder = newFolder()
    transport = createEmlFolder(folder, from)
  })
  const files = async () => (await readdir(folder)).sort()

  it('has one private file a mail, named after recipient and job', async () => {
    await transport.send(mail({ recipientId: 'u1', id: 'j1' }))
    await transport.send(mail({ recipientId: 'u2', id: 'j2' }))
    expect(await files()).toEqual(['u1.j1.eml', 'u2.j2.eml'])
    expect((await stat(join(folder, 'u1.j1.eml'))).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('can be read with a text editor: a long link stands in one piece, also beside letters of any script', async () => {
    const link = `https://portal.example.com/reset-password?token=${'a1B2'.repeat(20)}`
    const text = `Hello José Żółć,\n\nset your password:\n${link}\n`
    await transport.send(mail({ recipientId: 'u1', id: 'j1', text }))
    const file = await readFile(join(folder, 'u1.j1.eml'))
    expect(file.toString().replaceAll('\r', '')).toContain(text)
    expect((await PostalMime.parse(file)).text?.trimEnd()).toBe(text.trimEnd())
  })

  it('replaces a mail that is sent again', async () => {
    await transport.send(mail({ recipientId: 'u1', id: 'j1', subject: 'First' }))
    await transport.send(mail({ recipientId: 'u1', id: 'j1', subject: 'Second' }))
    expect(await files()).toEqual(['u1.j1.eml'])
    expect((await PostalMime.parse(await readFile(join(folder, 'u1.j1.eml')))).subject).toBe('Second')
  })

  it('keeps a mail complete when it is sent twice at once', async () => {
    const twice = mail({ recipientId: 'u1', id: 'j1', text: 'x'.repeat(200_000) })
    await Promise.all([transport.send(twice), transport.send(twice)])
    expect(await files()).toEqual(['u1.j1.eml'])
    expect((await PostalMime.parse(await readFile(join(folder, 'u1.j1.eml')))).text?.trimEnd()).toBe(twice.text)
  })

  it('erases all mails and drafts to one person only', async () => {
    for (const recipientId of ['u1', 'u10', 'u1-a', 'u1--j', 'U1', 'au1'])
      for (const id of ['j1', 'u1']) await transport.send(mail({ recipientId, id }))
    await writeFile(join(folder, 'u1.j3.eml.12345.tmp'), 'To: Jo')
    await transport.forget('u1')
    expect(await files()).toEqual(
      ['U1', 'au1', 'u1--j', 'u1-a', 'u10'].flatMap((id) => [`${id}.j1.eml`, `${id}.u1.eml`]),
    )
    await transport.forget('u1')
  })

  it('refuses mail to an erased person, even one under way', async () => {
    const sending = transport.send(mail({ recipientId: 'u1', id: 'j1' }))
    await Promise.all([expect(sending).rejects.toThrow(PermanentMailFailure), transport.forget('u1')])
    await expect(transport.send(mail({ recipientId: 'u1', id: 'j2' }))).rejects.toThrow(PermanentMailFailure)
    expect(await files()).toEqual([])
  })

  it.each(['', '.', '..', '../u1', 'u1/../u2', '/etc/passwd', 'u1.j1', 'u\0', 'ü', 'a b', 'x'.repeat(101)])(
    'refuses an id that is no valid file name: %j',
    async (odd) => {
      await expect(transport.send(mail({ recipientId: odd }))).rejects.toThrow(PermanentMailFailure)
      await expect(transport.send(mail({ id: odd }))).rejects.toThrow(PermanentMailFailure)
      await transport.send(mail({ recipientId: 'u1', id: 'j1' }))
      await transport.forget(odd)
      expect(await files()).toEqual(['u1.j1.eml'])
    },
  )

  it('leaves no draft when a mail can not be stored', async () => {
    await mkdir(join(folder, 'u1.j1.eml'))
    await expect(transport.send(mail({ recipientId: 'u1', id: 'j1' }))).rejects.toThrow(Unavailable)
    expect(await files()).toEqual(['u1.j1.eml'])
    expect(await readdir(join(folder, 'u1.j1.eml'))).toEqual([])
  })

  it('does not open or erase where no folder can be', async () => {
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    await expect(transport.forget('u1')).rejects.toThrow(Unavailable)
    expect(() => createEmlFolder(folder, from)).toThrow(Unavailable)
    expect(() => createEmlFolder(join(folder, 'outbox'), from)).toThrow(Unavailable)
  })
})
