import { mutationOptions } from '@tanstack/react-query'
import { type Case, CASE_FILE_FIELD, caseRoutes, type NewCase } from '#services/trading/cases/case-api.ts'
import type { z } from 'zod'
import { messageOf } from '@/api/api-error.ts'
import { sendAndParse, sendForm } from '@/api/api.ts'
import { refetchSubjects, routeQuery } from '@/api/route-query.ts'
import { toast, toastFailure } from '@/toast.ts'

/** The trader's own cases, and the decisions that can be objected to. */

export const ownCasesQuery = routeQuery(caseRoutes.ownCases, { subjects: ['cases'] })
export const objectableQuery = routeQuery(caseRoutes.objectable, { subjects: ['cases', 'payouts', 'accounts'] })

const own = <Input, Answer>(send: (input: Input) => Promise<Answer>, done: string, failed: string) =>
  mutationOptions({
    mutationFn: send,
    onSuccess: () => toast(done, 'Staff see it at once.'),
    onError: (error) => toastFailure(failed, messageOf(error)),
    onSettled: (_answer, _error, _input, _before, { client }) => refetchSubjects(client, 'trader', ['cases']),
  })

export const openCase = own(
  (body: z.input<typeof NewCase>) => sendAndParse(caseRoutes.openCase, { body }),
  'Case opened',
  'Your objection was not sent',
)

export const writeInOwnCase = own(
  ({ id, text }: { readonly id: string; readonly text: string }) =>
    sendAndParse(caseRoutes.writeInOwnCase, { params: { id }, body: { text } }),
  'Message sent',
  'Your message was not sent',
)

export const addCaseFile = own(
  ({ id, file }: { readonly id: string; readonly file: File }) => {
    const form = new FormData()
    form.append(CASE_FILE_FIELD, file)
    return sendForm(caseRoutes.addCaseFile, form, { id })
  },
  'File added',
  'The file was not added',
)

export const withdrawCase = own(
  ({ id }: Pick<Case, 'id'>) => sendAndParse(caseRoutes.withdrawCase, { params: { id } }),
  'Case withdrawn',
  'The case was not withdrawn',
)
