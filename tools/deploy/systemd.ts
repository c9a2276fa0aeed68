/**
 * The systemd unit as it is shipped, with the embedded database, in a container that systemd boots from the programs of this
 * machine: /usr is shared, everything else is empty and gone afterwards.
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assertRunning, type Launched, launch } from '../harness/launch.ts';
import { listChildren } from '../harness/processes.ts';
import { projectDir } from '../harness/project.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { run } from './run.ts';

const unit = 'payment-order-service';
const publicUrl = 'https://pay.example.com';

export async function proveSystemd(): Promise<string> {
  const settings = await makeTemporaryFolder('pos-systemd-');
  await writeFile(join(settings.path, 'settings.env'), `PUBLIC_URL=${publicUrl}\n`);
  const key = randomBytes(32).toString('hex');
  await writeFile(join(settings.path, 'master.key'), `${key}\n`, { mode: 0o600 });
  const machine = boot(settings.path);
  try {
    const inside = await enter(machine);
    const systemctl = (...words: string[]) => run([...inside, 'systemctl', ...words]);
    await systemctl('start', unit);
    const journal = () => run([...inside, 'journalctl', '--output=cat', `--unit=${unit}`]);
    await waitUntil('the service is ready', async () => {
      const text = await journal();
      if (text.includes('Failed with result')) throw new Error(text);
      return text.includes(`is ready on ${publicUrl}`);
    });
    if (/secret|invitation/.test(await journal())) throw new Error('the journal has a secret');
    const main = await systemctl('show', '--value', '--property=MainPID', unit);
    const status = await run([...inside, 'cat', `/proc/${main.trim()}/status`]);
    if (!/^Seccomp:\t2$/m.test(status)) throw new Error('no filter of system calls is applied');
    if (/^Uid:\t0/m.test(status)) throw new Error('the service runs as root');
    await systemctl('stop', unit);
    const result = await systemctl('show', '--value', '--property=Result', unit);
    if (result.trim() !== 'success') throw new Error(`the stop ended with ${result}`);
    const [version] = (await run(['systemd-nspawn', '--version'])).split('\n');
    return `${version}: the unit starts with the embedded database under its filter, prints no secret, and stops`;
  } finally {
    await end(machine);
    await settings.remove();
  }
}

function boot(settings: string): Launched {
  const file = `deploy/systemd/${unit}.service`;
  return launch(
    [
      ...(['systemd-nspawn', '--directory=/', '--volatile=yes', '--boot', '--quiet'] as const),
      '--console=pipe',
      '--register=no',
      '--keep-unit',
      '--link-journal=no',
      '--private-network',
      '--bind-ro=/etc/nsswitch.conf',
      `--bind-ro=${projectDir}:/opt/${unit}`,
      `--bind-ro=${settings}:/etc/${unit}`,
      `--bind-ro=${join(projectDir, file)}:/etc/systemd/system/${unit}.service`,
      // Without the other services of this machine, and without this one until it is started.
      'systemd.unit=basic.target',
      // There is no network to wait for.
      'systemd.mask=systemd-networkd-wait-online.service',
    ],
    {},
  );
}

/** By its first process, with which all others end; systemd-nspawn follows. */
async function end(machine: Launched): Promise<void> {
  const init = await findInit(machine);
  if (init === undefined) return void (await machine.end('SIGKILL'));
  process.kill(init, 'SIGKILL');
  await machine.exited;
}

async function findInit(machine: Launched): Promise<number | undefined> {
  return (await listChildren(machine.pid))[0]?.pid;
}

/** The words before a command that run it in the container, once its systemd answers. */
async function enter(machine: Launched): Promise<[string, ...string[]]> {
  await waitUntil('systemd runs', async () => {
    await assertRunning(machine);
    const pid = await findInit(machine);
    const name = pid && (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''));
    return name === 'systemd\n';
  });
  const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup'];
  const inside: [string, ...string[]] = [
    'nsenter',
    `--target=${await findInit(machine)}`,
    ...namespaces,
  ];
  await waitUntil('basic.target is reached', () =>
    run([...inside, 'systemctl', 'is-active', 'basic.target']).then(
      () => true,
      () => false,
    ),
  );
  return inside;
}
