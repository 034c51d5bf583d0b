import { z } from 'zod'
import * as audit from '#services/modules/audit/audit-api.ts'
import { described } from './openapi-component.ts'
import { answer, CSV_TYPE, file, get, JSON_TYPE, notFound, TEXT_TYPE, throttled, userPath } from './route.ts'

/** The number of an event: its position in the log. */
const eventNumber = described("The event's number", z.string().regex(/^[1-9]\d{0,15}$/))

/** The calls about the audit. */
export const auditRoutes = {
  ownStory: get('/api/user/history', 'trader', {
    summary: 'All events of the trader and their account: who, when, what changed, why',
    query: audit.EventsQuery,
    paged: true,
    answer: answer('A page of events', z.array(audit.AuditFact)),
  }),
  ownState: get('/api/user/history/state', 'trader', {
    summary: "The trader's own account as it was at a moment",
    query: audit.StateQuery,
    answer: answer('The state at that moment', audit.AuditState),
    refuses: notFound,
  }),
  ownMoments: get('/api/user/history/moments', 'trader', {
    summary: "When the trader's own account changed: the numbers and times of all events",
    query: audit.MomentsQuery,
    answer: answer('The moments', audit.AuditMoments),
  }),
  ownExport: get('/api/user/export', 'trader', {
    summary: 'All data stored about the trader, as one file (the right of access); it proves nothing',
    answer: answer('The data', audit.PersonalExport),
    refuses: throttled,
  }),
  ownProof: get('/api/user/history/proof', 'trader', {
    summary: "The trader's own history with its proof (proofdesk export 2), to be verified offline with the page at /verify",
    answer: file(JSON_TYPE),
    refuses: throttled,
  }),
  ownReceipt: get('/api/user/history/:number/receipt', 'trader', {
    summary: "A receipt for one of the trader's own events: a C2SP tlog-proof, to be checked offline",
    params: z.object({ number: eventNumber }),
    answer: file(TEXT_TYPE),
    refuses: throttled,
  }),
  auditAccounts: get('/api/audit/accounts', 'read', {
    summary: 'Find an account to audit',
    query: audit.AuditSearch,
    paged: true,
    position: 'waits',
    answer: answer('A page of accounts', z.array(audit.AuditAccountFound)),
  }),
  auditAccount: get('/api/audit/accounts/:id', 'read', {
    summary: 'An account as it was at a moment',
    params: userPath,
    query: audit.StateQuery,
    answer: answer('The state at that moment', audit.AuditState),
  }),
  auditAccountFacts: get('/api/audit/accounts/:id/facts', 'read', {
    summary: 'All events of a user and their account, with the sign-ins of administrators who changed it',
    params: userPath,
    query: audit.EventsQuery,
    paged: true,
    answer: answer('A page of events', z.array(audit.AuditFact)),
  }),
  auditMoments: get('/api/audit/accounts/:id/moments', 'read', {
    summary: 'When an account changed: the numbers and times of all events',
    params: userPath,
    query: audit.MomentsQuery,
    answer: answer('The moments', audit.AuditMoments),
  }),
  auditDifference: get('/api/audit/accounts/:id/difference', 'read', {
    summary: 'The difference between two moments of an account',
    params: userPath,
    query: audit.DifferenceQuery,
    answer: answer('The changed fields', z.array(audit.AuditChange)),
  }),
  auditExport: get('/api/audit/accounts/:id/export', 'export', {
    summary: 'The complete history of an account as a file: as JSON with its proof (proofdesk export 2), or as CSV, which proves nothing',
    params: userPath,
    query: audit.ExportQuery,
    answer: file(JSON_TYPE, CSV_TYPE),
    refuses: throttled,
  }),
  auditFacts: get('/api/audit/facts', 'read', {
    summary: 'The events of all accounts, filtered by actor, type and time',
    query: audit.EventsQuery,
    paged: true,
    answer: answer('A page of events', z.array(audit.AuditFact)),
  }),
  auditReceipt: get('/api/audit/accounts/:id/facts/:number/receipt', 'read', {
    summary: 'A receipt for one event of an account: a C2SP tlog-proof, to be checked offline',
    params: userPath.extend({ number: eventNumber }),
    answer: file(TEXT_TYPE),
    refuses: throttled,
  }),
  verifyPage: get('/verify', 'public', {
    summary: 'A page that verifies an export in any browser, and sends nothing',
    answer: file('text/html'),
  }),
  verifyFile: get('/verify.html', 'public', {
    summary: 'The same page as a file, to keep and to use offline',
    answer: file('text/html'),
  }),
}
