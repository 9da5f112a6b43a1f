# A Slurm of one node: ranks by srun, an array of shards of score with a task that is killed and requeued, and a training run that
# is asked to make way and goes on by itself. Needs root, slurmctld, slurmd, munge and an MPI that srun knows; the array bcftools, too.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
for program in slurmctld slurmd munged srun sbatch; do
    command -v $program >/dev/null 2>&1 && continue
    echo "needs slurmctld, slurmd and munge; $program is missing"
    exit 77
done
[ "$(id -u)" -eq 0 ] || { echo "needs root, to start slurmd" && exit 77; }
mpi=''
[ ! -e "$BUILD/libgodwit-mpi-openmpi.so" ] || mpi=pmix
[ ! -e "$BUILD/libgodwit-mpi-mpich.so" ] || mpi=pmi2
[ -n "$mpi" ] || { echo "needs a build with an MPI plugin (make MPI=1)" && exit 77; }
unset OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK
export OMP_NUM_THREADS=1

stop_slurm() {
    for pid in slurmd.pid slurmctld.pid munge/pid; do
        [ ! -e $pid ] || kill "$(cat $pid)" 2>/dev/null || true
    done
    for turn in $(seq 100); do # slurmctld saves its state as it ends
        [ -e slurmctld.pid ] || break
        sleep 0.1
    done
}
trap stop_slurm EXIT
host=$(hostname -s) folder=$PWD
port=$((20000 + $$ % 20000))
mkdir -m 700 munge
mkdir spool state
dd if=/dev/urandom of=munge/key bs=1 count=1024 2>/dev/null
chmod 400 munge/key
munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" 2>munge.log || die "munged: $(cat munge.log)"
# What is requeued starts again once its credential has expired, by default after two minutes.
cat >slurm.conf <<END
ClusterName=godwit
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
JobRequeue=1
SchedulerParameters=batch_sched_delay=0,sched_interval=1,requeue_delay=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$folder/slurm.conf"
slurmctld -c -f slurm.conf
slurmd -c -f slurm.conf
for turn in $(seq 150); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    [ "$turn" -lt 150 ] || { echo "no node came up here: $(tail -n 3 slurmd.log)" && exit 77; }
    sleep 0.2
done
# ended JOB: until none of its tasks is there any more.
ended() {
    while squeue -h -j "$1" -t PENDING,RUNNING,COMPLETING,REQUEUED 2>/dev/null | grep -q .; do sleep 0.2; done
}

# Ranks by srun: the bits of one process, and tasks that are no ranks are refused.
prepared shards
set -- -q -d train -c config.json --steps 5 --batch-tokens 768 --lr 3e-3 --groups 4
"$GODWIT" pretrain "$@" -o alone
srun --mpi=$mpi -n 2 "$GODWIT" pretrain "$@" -o ranks 2>err || die "srun: $(cat err)"
same alone/model.safetensors ranks/model.safetensors
srun -n 2 "$GODWIT" pretrain "$@" -o x 2>err && die "tasks that are no ranks trained"
equal "$(grep -c '^godwit pretrain: srun began 2 tasks without MPI' err)" 1 "lines of a wrong launch"

# A run that is told to make way ends with 75, is requeued by its script, and goes on: the bits of one that was not.
set -- -q -d train -c config.json --steps 120 --batch-tokens 768 --lr 3e-3 --save-every 0 --groups 2
"$GODWIT" pretrain "$@" -o whole
cat >train.sh <<END
#!/bin/sh
#SBATCH --ntasks=2 --requeue --output=train.log --open-mode=append
status=0
srun --mpi=$mpi "$GODWIT" pretrain $* -o way --resume || status=\$?
echo "ended with \$status"
[ \$status -ne 75 ] || scontrol requeue \$SLURM_JOB_ID
END
job=$(sbatch --parsable train.sh)
for turn in $(seq 600); do
    ! lines way.checkpoints/metrics.jsonl 3 || break
    [ "$turn" -lt 600 ] || die "the job does not train: $(cat train.log)"
    sleep 0.1
done
scancel --signal=USR1 "$job"
ended "$job"
equal "$(grep 'ended with' train.log | tr '\n' ' ')" "ended with 75 ended with 0 " "status of the job's runs"
same whole/model.safetensors way/model.safetensors

# An array of shards, one of which is killed and requeued: what one run writes.
has bcftools || exit 0
cat >config.json <<'END'
{"model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 64, "max_position_embeddings": 66, "attention_type": "original_full"}
END
"$GODWIT" pretrain -q -f genome.fa -o model -c config.json --steps 2 --batch-tokens 1056
"$GODWIT" mutate -q -f genome.fa -r one:2001-2600 | bcftools view -Ob -o sites.bcf
"$GODWIT" score -q -m model -f genome.fa sites.bcf -Ob -o once.bcf
cat >score.sh <<END
#!/bin/sh
#SBATCH --array=1-3%3 --ntasks=1 --requeue --output=score.%a.log --open-mode=append
set -- score -q -m model -f genome.fa --shard slurm -o part.\$SLURM_ARRAY_TASK_ID.bcf sites.bcf
if [ "\$SLURM_ARRAY_TASK_ID" -eq 2 ] && [ -z "\$SLURM_RESTART_COUNT" ]; then
    "$GODWIT" "\$@" &
    kill -STOP \$! # it is still running when it is requeued
    echo stopped
    wait
else
    echo "restarts: \${SLURM_RESTART_COUNT:-0}"
    "$GODWIT" "\$@"
fi
END
job=$(sbatch --parsable score.sh)
for turn in $(seq 600); do
    ! grep -q stopped score.2.log 2>/dev/null || break
    [ "$turn" -lt 600 ] || die "the array does not start"
    sleep 0.05
done
scontrol requeue "${job}_2"
ended "$job"
grep -q 'restarts: 1' score.2.log || die "the killed task was not started again: $(cat score.2.log)"
ended "$job"
bcftools concat --no-version part.1.bcf part.2.bcf part.3.bcf 2>/dev/null | grep -v '^##' >parts
bcftools view --no-version once.bcf | grep -v '^##' >once
same parts once
