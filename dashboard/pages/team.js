/** The people of the account and their roles. Owners invite, change and remove them. */

import { useState } from 'preact/hooks';
import { Action } from '../components/action.js';
import { withConfirmation } from '../components/confirm-identity.js';
import { Dialog } from '../components/dialog.js';
import { Field, Form, Select } from '../components/form.js';
import { Loaded } from '../components/states.js';
import { Table } from '../components/table.js';
import { Copyable, Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { call, post } from '../core/api.js';
import { sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { may } from '../core/session.js';

/** @typedef {{ user_id: string, email: string, role: string, last_seen_at: string | null }} Member */
/** @typedef {{ invitation_id: string, email: string, role: string, expires_at: string }} Invited */

const roles = /** @type {const} */ ([
  ['viewer', 'Viewer: sees everything, personal data masked'],
  ['operator', 'Operator: also refunds, replays, resends and resolves'],
  ['owner', 'Owner: also secrets, settings and the team'],
]);

export function Page() {
  const live = useLive('/team');
  const [dialog, setDialog] = useState(
    /** @type {{ kind: 'invite' } | { kind: 'change' | 'remove', member: Member } | undefined} */ (
      undefined
    ),
  );
  const close = () => setDialog(undefined);
  const done = (/** @type {string} */ text) => {
    close();
    say(text);
    live.reload();
  };
  return html`<div class="head"><h1>Team</h1>
      ${may('owner') && html`<button type="button" class="primary" onClick=${() => setDialog({ kind: 'invite' })}>Invite</button>`}
    </div>
    <${Loaded} live=${live}>${(
      /** @type {{ members: Member[], invitations: Invited[] }} */ data,
    ) => html`
      <${Members} members=${data.members} open=${setDialog} />
      ${data.invitations.length > 0 && html`<${Invitations} invitations=${data.invitations} done=${done} />`}`}
    </${Loaded}>
    ${dialog?.kind === 'invite' && html`<${Invite} close=${close} reload=${live.reload} />`}
    ${dialog?.kind === 'change' && html`<${ChangeRole} member=${dialog.member} close=${close} done=${done} />`}
    ${dialog?.kind === 'remove' && html`<${Remove} member=${dialog.member} close=${close} done=${done} />`}`;
}

/** @param {{ members: Member[], open: (dialog: any) => void }} props */
function Members({ members, open }) {
  const actions = (/** @type {Member} */ member) => html`<span class="buttons">
    <button type="button" class="small" aria-label=${`Change role of ${member.email}`} onClick=${() => open({ kind: 'change', member })}>Change role</button>
    <button type="button" class="small" aria-label=${`Remove ${member.email}`} onClick=${() => open({ kind: 'remove', member })}>Remove</button>
  </span>`;
  return html`<${Table} caption="Members" rows=${members} keyOf=${(/** @type {Member} */ one) => one.user_id}
    columns=${[
      { label: 'Email', cell: (/** @type {Member} */ one) => one.email },
      { label: 'Role', cell: (/** @type {Member} */ one) => sentence(one.role) },
      {
        label: 'Last seen',
        cell: (/** @type {Member} */ one) => html`<${Time} at=${one.last_seen_at} relative />`,
      },
      ...(may('owner') ? [{ label: 'Actions', cell: actions }] : []),
    ]} />`;
}

/** @param {{ invitations: Invited[], done: (text: string) => void }} props */
function Invitations({ invitations, done }) {
  const withdraw = async (/** @type {Invited} */ { invitation_id, email }) => {
    await withConfirmation(() => call('DELETE', `/team/invitations/${invitation_id}`));
    done(`Invitation for ${email} withdrawn.`);
  };
  return html`<h2>Open invitations</h2>
    <${Table} caption="Open invitations" rows=${invitations} keyOf=${(/** @type {Invited} */ one) => one.invitation_id}
      columns=${[
        { label: 'Email', cell: (/** @type {Invited} */ one) => one.email },
        { label: 'Role', cell: (/** @type {Invited} */ one) => sentence(one.role) },
        {
          label: 'Expires',
          cell: (/** @type {Invited} */ one) => html`<${Time} at=${one.expires_at} relative />`,
        },
        ...(may('owner')
          ? [
              {
                label: 'Actions',
                cell: (/** @type {Invited} */ one) =>
                  html`<span class="buttons"><${Action} label="Withdraw" about=${one.email} onAct=${() => withdraw(one)} /></span>`,
              },
            ]
          : []),
      ]} />`;
}

/** @param {{ close: () => void, reload: () => void }} props */
function Invite({ close, reload }) {
  const [link, setLink] = useState('');
  const invite = async (/** @type {FormData} */ fields) => {
    const request = Object.fromEntries(fields);
    const invited = await withConfirmation(() => post('/team/invitations', request));
    setLink(invited.link);
    reload();
  };
  if (link !== '') {
    return html`<${Dialog} title="Send this link" onClose=${close}>
      <p>It works once, within 24 hours, and is only shown now.</p>
      <${Copyable} text=${link} label="link" />
      <div class="buttons"><button type="button" class="primary" onClick=${close}>Done</button></div>
    </${Dialog}>`;
  }
  return html`<${Dialog} title="Invite to the team" onClose=${close}>
    <${Form} action="Create link" onSend=${invite} onCancel=${close}>
      <${Field} label="Email" name="email" type="email" input=${{ required: true, autocomplete: 'off' }} />
      <${Select} label="Role" name="role" options=${roles} value="viewer" />
    </${Form}>
  </${Dialog}>`;
}

/** @param {{ member: Member, close: () => void, done: (text: string) => void }} props */
function ChangeRole({ member, close, done }) {
  const change = async (/** @type {FormData} */ fields) => {
    const role = fields.get('role');
    await withConfirmation(() => call('PATCH', `/team/${member.user_id}`, { role }));
    done(`The role of ${member.email} is now ${fields.get('role')}.`);
  };
  return html`<${Dialog} title=${`Role of ${member.email}`} onClose=${close}>
    <${Form} action="Change role" onSend=${change} onCancel=${close}>
      <${Select} label="Role" name="role" options=${roles} value=${member.role} />
    </${Form}>
  </${Dialog}>`;
}

/** @param {{ member: Member, close: () => void, done: (text: string) => void }} props */
function Remove({ member, close, done }) {
  const remove = async () => {
    await withConfirmation(() => call('DELETE', `/team/${member.user_id}`));
    done(`${member.email} removed.`);
  };
  return html`<${Dialog} title=${`Remove ${member.email}?`} onClose=${close}>
    <p>They lose access to this account immediately. Their other accounts are not affected.</p>
    <${Form} action="Remove" isDangerous onSend=${remove} onCancel=${close} />
  </${Dialog}>`;
}
