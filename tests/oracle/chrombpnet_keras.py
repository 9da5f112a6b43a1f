# Makes tests/data/bpnet/keras: the networks of chrombpnet.pt in files of Keras, as ChromBPNet's program writes them.
# usage: chrombpnet_keras.py FOLDER   (the folder of bpnet_oracle.py; needs torch and h5py)
import os, sys
import h5py, numpy as np, torch

folder = sys.argv[1]
weights = torch.load(f"{folder}/chrombpnet.pt", weights_only=True)
os.makedirs(f"{folder}/keras", exist_ok=True)


def write(path, part, prefix, last):
    with h5py.File(path, "w") as file:
        group = file.create_group("model_weights")
        names = []

        def put(layer, name):
            kernel = weights[f"{part}.{name}.weight"].numpy()
            kernel = np.transpose(kernel, (2, 1, 0)) if kernel.ndim == 3 else kernel.T  # taps, inputs, outputs
            inner = group.create_group(f"{layer}/{layer}")
            inner.create_dataset("kernel:0", data=kernel)
            inner.create_dataset("bias:0", data=weights[f"{part}.{name}.bias"].numpy())
            group[layer].attrs["weight_names"] = np.array([f"{layer}/kernel:0", f"{layer}/bias:0"], dtype="S")
            names.append(layer)

        put(f"{prefix}bpnet_1st_conv", "iconv")
        for i in range(sum(1 for key in weights if key.startswith(f"{part}.rconvs.") and key.endswith(".weight"))):
            put(f"{prefix}bpnet_{i + 1}conv", f"rconvs.{i}")
        put(f"{prefix}{last}prof_out_precrop", "fconv")
        put(f"{prefix}{last}logcount_predictions", "linear")
        for layer in (f"{prefix}bpnet_1crop", "gap"):  # layers without weights are there too
            group.create_group(layer).attrs["weight_names"] = np.array([], dtype="S")
            names.append(layer)
        group.attrs["layer_names"] = np.array(names, dtype="S")
        file.attrs["keras_version"] = "2.5.0"


write(f"{folder}/keras/chrombpnet_nobias.h5", "accessibility", "wo_bias_", "bpnet_")
write(f"{folder}/keras/bias_model_scaled.h5", "bias", "", "")
