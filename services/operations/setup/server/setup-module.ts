import { PermanentMailFailure } from '#infra/outbox/outbox.ts'
import { messageOf, Unavailable } from '#infra/failures.ts'
import { done } from '#services/framework/http/serve-route.ts'
import { FIRM, render } from '#services/framework/mails/mail-layout.ts'
import type { Commands, Module, Queries } from '#services/framework/module.ts'
import { newId } from '#services/identity/authentication/random-id.ts'
import type { OperationsParts } from '#services/operations/parts.ts'
import type { MailTestAnswer, MailTestOutcome, setupRoutes } from '../setup-api.ts'
import { dismissSetup, SETUP_ID, setupStreams } from '../setup.ts'
import { setupSteps } from '../setup-steps.ts'
import { setupSubject } from '../setup-subject.ts'
import { mailFolderOf } from '#services/process/data-folder.ts'
import { factModels, readSetupFacts } from './setup-facts.ts'

export const setupModule: Module<typeof setupSubject, OperationsParts> = {
  subject: setupSubject,
  commands: setupCommands,
  queries: setupQueries,
  // A test mail goes to a member of staff, and its address is not kept.
  erase: null,
}

function setupQueries(parts: OperationsParts['queries']): Queries<typeof setupRoutes> {
  return {
    setup: {
      needs: factModels,
      handle: async () => {
        const { state } = await parts.repositories.of(setupStreams).load(SETUP_ID)
        const facts = await readSetupFacts(parts, (await parts.installationState()).lastBackup)
        return { body: { dismissed: state.dismissed, steps: setupSteps(facts), mailFolder: facts.mailFolder } }
      },
    },
  }
}

function setupCommands(parts: OperationsParts['commands']): Commands<typeof setupRoutes> {
  const { repositories, mailTransport, firm, throttle, config } = parts
  const setup = repositories.of(setupStreams)
  const folder = mailFolderOf(config)

  const says = (outcome: MailTestOutcome, why = 'see the log of the portal'): MailTestAnswer => ({
    outcome,
    says: {
      sent: 'The mail server took it. Look whether it arrives, and not among the spam.',
      file: `There is no mail server: it was written into a file in ${folder}. Nobody gets it.`,
      failed: `It was not sent: ${why}`,
    }[outcome],
  })

  /** Hands a mail over at once, not by the queue: its outcome is the answer. */
  const send = async (id: string, address: string): Promise<MailTestAnswer> => {
    const brand = await firm.now()
    const content = {
      subject: `Test mail of ${FIRM}`,
      body: ['This is the test that a member of staff asked for. Mails of the portal arrive as this one did.'],
      footer: `You're receiving this email because a member of staff of ${FIRM} typed your address.`,
    }
    try {
      const to = { name: '', address }
      await mailTransport.send({ id, recipientId: 'test', from: brand.sender, to, ...render('', content, brand) })
      return says(folder === null ? 'sent' : 'file')
    } catch (error) {
      if (!(error instanceof PermanentMailFailure || error instanceof Unavailable || folder === null)) throw error
      return says('failed', messageOf(error))
    }
  }

  return {
    dismissSetup: async ({ context }) => done((await setup.decide(SETUP_ID, context, dismissSetup)).position),

    testMail: async ({ body, context, caller }) => {
      if (await setup.isRepeated(SETUP_ID, context)) {
        const { state, position } = await setup.load(SETUP_ID)
        return { body: says(state.lastTest ?? 'failed'), position }
      }
      await throttle.attempt(['testMailMember', caller.id])
      const tested = await send(newId(context, 'test mail'), body.address)
      const { outcome } = tested
      const { position } = await setup.decide(SETUP_ID, context, () => [{ type: 'MailTested', data: { outcome } }])
      return { body: tested, position }
    },
  }
}
